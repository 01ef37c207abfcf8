/**
 * Settings of each function. Statistics of a queue are always outdated: without these settings, a
 * plan that was made while a table was empty would read all of it later.
 */
export const SETTINGS = `SET enable_seqscan TO off SET enable_hashjoin TO off
    SET enable_mergejoin TO off SET jit TO off`;
