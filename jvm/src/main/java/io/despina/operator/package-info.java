/**
 * What a user names in a graph: the contract, and one file per operator in {@code source}, {@code sink}, {@code program},
 * {@code stateless}, {@code window}, {@code keyed}, {@code join}, {@code lookup}, {@code database} and {@code user}. What
 * several of them need is in {@code order}, {@code record} and {@code disk}. Operators see packets, expressions and state,
 * never threads, links or sockets.
 */
package io.despina.operator;
