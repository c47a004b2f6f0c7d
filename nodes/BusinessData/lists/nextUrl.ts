/** The address of the next page, as a response gives it. Only addresses below the base URL are followed. */
import { headerText } from '../transport/response';
import { isObject } from '../values/isObject';
import { parseUrl } from '../values/parseUrl';
import { ListError } from './listError';

/** The target of `rel="next"` in a `Link` header (RFC 8288). */
export function nextLink(headers: Record<string, unknown>): string | undefined {
	for (const link of headerText(headers, 'link').split(/,(?=\s*<)/)) {
		const [, target, parameters = ''] = /^\s*<([^>]*)>(.*)$/s.exec(link) ?? [];
		// RFC 8288 has no single quotes, but some services use them.
		const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,]+))/i.exec(parameters);
		const relations = (rel?.[1] ?? rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/);
		if (target !== undefined && relations.includes('next')) return target;
	}
	return undefined;
}

/** The `href` of the next page in a list of links such as `{ rel, href }`. Returns any other value unchanged. */
export function nextAmong(links: unknown): unknown {
	const isLink = (one: unknown) => isObject(one) && 'rel' in one && 'href' in one;
	if (!Array.isArray(links) || !links.every(isLink)) return links;
	const isNext = ({ rel }: { rel: unknown }) =>
		[rel].flat().some((relation) => String(relation).toLowerCase() === 'next');
	return (links as Array<{ rel: unknown; href: unknown }>).find(isNext)?.href;
}

const ADDRESS = "Pagination: the next page's address";

/**
 * The path and query of the next page.
 * @param address absolute, or relative to the request (RFC 3986); a path outside that of the base URL is taken below it
 * @param request the path and query of the request
 * @throws ListError if it is not an address, or leads elsewhere
 */
export function belowBaseUrl(address: unknown, request: string, baseUrl: string): string {
	const base = new URL(baseUrl);
	const basePath = base.pathname.replace(/\/+$/, '');
	const url = typeof address === 'string' ? parseUrl(address, baseUrl + request) : undefined;
	if (typeof address !== 'string' || url === undefined) {
		throw new ListError(`${ADDRESS} is not an address`, 'Check the option Next URL Field.');
	}
	const isRelative = !/^([a-z][a-z\d+.-]*:|\/\/|\\)/i.test(address);
	// Services behind a TLS proxy often write http://. Only the path and the query are used.
	const isSameHost = url.hostname === base.hostname && (url.port === base.port || url.port === '');
	const isBelow = `${url.pathname}/`.startsWith(`${basePath}/`);
	if (!/^https?:$/.test(url.protocol) || !isSameHost || (!isBelow && !isRelative)) {
		throw new ListError(
			`${ADDRESS} leads away from the base URL`,
			`Only addresses below the base URL of the credential are followed, so that the key goes nowhere else. This one is at ${url.protocol}//${url.host}.`,
		);
	}
	const path = isBelow ? url.pathname.slice(basePath.length) : url.pathname;
	return path + url.search;
}

/** Whether a field for the next page says that there is none. */
export function namesNoPage(next: unknown): boolean {
	return [undefined, null, false, 0, '', '0'].includes(next as string);
}
