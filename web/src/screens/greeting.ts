// Decides whether the first visit starts with the demo.
import type { Agent } from '../api/types';

/** True if the default agent is the demo and no other agent is known to be paid for. */
export function greets(agents: readonly Agent[]): boolean {
  const available = agents.filter((agent) => agent.available);
  return available.some((agent) => agent.default && agent.pays === 'demo') && available.every((agent) => agent.pays === 'demo' || agent.pays === 'unknown');
}
