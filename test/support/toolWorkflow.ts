/** The node as a tool: a test agent calls it through n8n's engine, as n8n's agents do. */
import {
	type IDataObject,
	type INode,
	type INodeType,
	type ITaskData,
	NodeConnectionTypes,
} from 'n8n-workflow';

import type { Bench } from './bench';
import { descriptionOf, ITEMS_TYPE, linksTo, NODE_TYPE, nodeOf } from './engineWorkflow';

const AGENT = 'Agent';
const TOOL = 'Tool';
export const AGENT_TYPE = 'test.agent';
/** n8n derives it from the node, which is `usableAsTool`. */
export const TOOL_TYPE = `${NODE_TYPE}Tool`;

type ToolResult = { response?: string; error?: string };

interface Tool {
	invoke(parameters: object): Promise<string>;
}

/** From this version on, n8n's agent lets the engine call its tools. */
const CALLS_BY_ENGINE_SINCE = 3;

const actionOf = (input: IDataObject, index: number) => ({
	actionType: 'ExecutionNodeAction' as const,
	nodeName: TOOL,
	type: NodeConnectionTypes.AiTool,
	id: `call ${index}`,
	input,
	metadata: {},
});
/** The output of a call, as n8n's engine gives it to the agent. */
const itemsFrom = ({ data }: ITaskData) =>
	data?.[NodeConnectionTypes.AiTool]?.[0]?.map(({ json }) => json) ?? [];
const resultOf = (items: IDataObject[]) => {
	const error = items[0]?.error as string | undefined;
	return error === undefined ? { response: JSON.stringify(items) } : { error };
};

/** Calls its tool with each set of parameters, all at once, and outputs the result of each call. */
export const agentNode: INodeType = {
	description: descriptionOf(
		'Agent',
		[
			NodeConnectionTypes.Main,
			{ type: NodeConnectionTypes.AiTool, displayName: 'Tool', required: true },
		],
		'calls',
	),
	async execute(response) {
		const calls = this.getNodeParameter('calls', 0) as IDataObject[];
		if (this.getNode().typeVersion >= CALLS_BY_ENGINE_SINCE) {
			const { actionResponses = [] } = response ?? {};
			return actionResponses.length > 0 ? [] : { actions: calls.map(actionOf), metadata: {} };
		}
		const [tool] = (await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as Tool[];
		const responses = calls.map(async (parameters) => {
			// n8n's older agents give their model an empty text for a thrown error.
			const response = await tool?.invoke(parameters).catch(() => '[]');
			return { json: resultOf(JSON.parse(response ?? '[]') as IDataObject[]) };
		});
		return [await Promise.all(responses)];
	},
};

/** The node as n8n derives it for agents. */
export function asTool(nodeType: INodeType): INodeType {
	const tool = Object.create(nodeType) as INodeType;
	tool.description = {
		...nodeType.description,
		name: `${nodeType.description.name}Tool`,
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
	};
	return tool;
}

/** Lets an agent call the node with each of these arguments at once. Returns the result of each call. */
export async function callTool(
	{ engine, credential }: Pick<Bench, 'engine' | 'credential'>,
	calls: object[],
	parameters: INode['parameters'],
	settings: Partial<INode> = {},
	{ input = {}, agentVersion = 1 } = {},
): Promise<ToolResult[]> {
	const workflow = {
		nodes: [
			nodeOf('Start', ITEMS_TYPE, { items: [input] }),
			nodeOf(AGENT, AGENT_TYPE, { calls }, { typeVersion: agentVersion }),
			nodeOf(TOOL, TOOL_TYPE, parameters, settings),
		],
		connections: { Start: linksTo('main', AGENT), [TOOL]: linksTo('ai_tool', AGENT) },
	};
	const result = await engine.run(workflow, { key: credential });
	const { runData, error } = result.run.data.resultData;
	// In n8n 1.x, a call that fails ends the execution, unless the tool continues on error.
	if (error !== undefined) return [{ error: error.message }];
	const isByEngine = agentVersion >= CALLS_BY_ENGINE_SINCE;
	return isByEngine
		? (runData[TOOL] ?? []).map((run) => resultOf(itemsFrom(run)))
		: result.json(AGENT);
}
