/**
 * What a user names in a graph: the contract, and one file per operator in {@code source}, {@code stateless},
 * {@code window}, {@code keyed}, {@code join}, {@code lookup} and {@code sink}. Operators see packets, expressions and state,
 * never threads, links or sockets.
 */
package io.despina.operator;
