// Loaded into a started n8n before its own code: when the process that started it is gone, however that
// ended, the channel between the two closes, and n8n shuts down as if it had been told to.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone is no reason to keep running.
process.channel?.unref();
