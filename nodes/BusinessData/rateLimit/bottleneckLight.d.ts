/** The build for current Node.js without clustering needs about half the processor time per job. It has no types. */
declare module 'bottleneck/light' {
	export { default } from 'bottleneck';
}
