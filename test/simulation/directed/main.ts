/**
 * Plays the hand-written plays in a separate program, because Jest cannot load modules into other global objects.
 * Prints the failures by the name of the play.
 */
import { equip, playDirected } from '../play';
import { DIRECTED_PLAYS } from './plays';

async function main(): Promise<void> {
	const equipment = await equip();
	const wrong: Record<string, unknown> = {};
	for (const play of DIRECTED_PLAYS) {
		const { violations, history } = await playDirected(play, equipment);
		wrong[play.name] = violations.length === 0 ? [] : [...violations, ...history];
	}
	console.log(JSON.stringify(wrong));
}

void main().then(() => process.exit());
