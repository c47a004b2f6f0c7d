/** The library compiled for today's Node.js, and without its Redis: a job takes a third of the processor time. It has no types. */
declare module 'bottleneck/light' {
	export { default } from 'bottleneck';
}
