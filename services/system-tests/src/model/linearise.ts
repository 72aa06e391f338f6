import { z } from 'zod';
import { apply } from './apply.js';
import { type RuledWorld, ViolationError } from './expectations.js';
import type { Outcome } from './requests.js';
import type { ModelState } from './state.js';

/** The result of a search for an order. */
export type Linearisation =
  | { readonly kind: 'explained'; readonly state: ModelState }
  /** The longest order that the rules allow, and why none of the other outcomes can come next. */
  | { readonly kind: 'unexplained'; readonly violations: readonly string[] };

/**
 * Searches for an order in which the rules allow all outcomes of concurrent requests, followed by what was observed once all
 * of them had finished.
 */
export function linearise(
  world: RuledWorld,
  state: ModelState,
  concurrent: readonly Outcome[],
  afterwards: readonly Outcome[],
): Linearisation {
  let reached = -1;
  let violations: readonly string[] = [];

  function search(from: ModelState, left: readonly Outcome[], done: number): ModelState | undefined {
    const candidates =
      left.length > 0 ? left : afterwards.slice(done - concurrent.length, done - concurrent.length + 1);
    if (candidates.length === 0) return from;
    const failures: string[] = [];
    for (const outcome of candidates) {
      const next = tryApply(world, from, outcome);
      if (typeof next === 'string') {
        failures.push(`${describe(outcome)}: ${next}`);
        continue;
      }
      const found = search(
        next,
        left.filter((other) => other !== outcome),
        done + 1,
      );
      if (found !== undefined) return found;
    }
    if (failures.length > 0 && done > reached) {
      reached = done;
      violations = failures;
    }
    return undefined;
  }

  const found = search(state, concurrent, 0);
  return found === undefined ? { kind: 'unexplained', violations } : { kind: 'explained', state: found };
}

function tryApply(world: RuledWorld, state: ModelState, outcome: Outcome): ModelState | string {
  try {
    return apply(world, state, outcome);
  } catch (error) {
    if (error instanceof ViolationError || error instanceof z.ZodError) return error.message;
    throw error;
  }
}

function describe(outcome: Outcome): string {
  if (!('answer' in outcome)) return JSON.stringify(outcome.request);
  const { request, answer } = outcome;
  const sent =
    request.kind === 'write' ? `${request.method} ${request.path} key ${request.key}` : request.path;
  const body = request.kind === 'write' ? JSON.stringify(request.body).slice(0, 500) : '';
  return `${sent} ${body} -> ${answer.status} ${answer.text.slice(0, 1_000)}`;
}
