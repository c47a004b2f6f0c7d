// `gulp build` copies what TypeScript leaves behind into `dist`: the icons, the codex files and the output schemas.
// `gulp check` runs what comes before the tests, side by side.
const { spawn } = require('node:child_process');
const { dest, parallel, series, src } = require('gulp');

function icons() {
	return src('nodes/**/*.svg', { encoding: false }).pipe(dest('dist/nodes'));
}

function codex() {
	return src('nodes/**/*.node.json').pipe(dest('dist/nodes'));
}

function outputSchemas() {
	return src('nodes/**/__schema__/**/*.json').pipe(dest('dist/nodes'));
}

/** A script of package.json as a task. */
function script(name) {
	const task = () => spawn(`npm run --silent ${name}`, { shell: true, stdio: 'inherit' });
	return Object.assign(task, { displayName: name });
}

exports.build = parallel(icons, codex, outputSchemas);
exports.check = parallel(
	script('lint:code'),
	series(script('typecheck'), script('build'), script('lint:format')),
);
