// Loaded into n8n before its own code: when the process that started it ends for whatever reason, the IPC channel
// closes, and n8n shuts down as after SIGTERM.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone must not keep the process alive.
process.channel?.unref();
