import { createRenderEffect, type JSX } from 'solid-js';
import { iconNames, pathsOf, type IconName } from './drawings';

export { iconNames, type IconName };

/** Decorative: the text next to it or the label of its button has the meaning. */
export function Icon(props: { name: IconName; class?: string }): JSX.Element {
  const svg = (<svg class={`icon ${props.class ?? ''}`} viewBox="0 0 16 16" aria-hidden="true" />) as SVGSVGElement;
  createRenderEffect(() => svg.replaceChildren(pathsOf(props.name)));
  return svg;
}
