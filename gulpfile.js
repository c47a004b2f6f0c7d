// Copies what TypeScript leaves behind into `dist`: the icons, the codex files and the output schemas.
const { dest, parallel, src } = require('gulp');

function icons() {
	return src('nodes/**/*.svg', { encoding: false }).pipe(dest('dist/nodes'));
}

function codex() {
	return src('nodes/**/*.node.json').pipe(dest('dist/nodes'));
}

function outputSchemas() {
	return src('nodes/**/__schema__/**/*.json').pipe(dest('dist/nodes'));
}

exports.build = parallel(icons, codex, outputSchemas);
