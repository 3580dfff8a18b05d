/**
 * What a class of yours implements to run inside a graph. It needs nothing else of the engine: compile it against the engine's
 * jar, put it into a jar of its own, and name that jar where the graph runs.
 *
 * <p>The class needs a public constructor without parameters. Each instance of an operator of the graph has an object of its own,
 * and all calls to it come from one thread at a time, so nothing in it needs a lock. A call must not wait for anything outside,
 * unless the graph says {@code "blocks": true}: other operators share its thread.
 *
 * <p>Rows and states that a call is given are views that move on with the next row. Copy what must stay.
 */
package io.despina.api;
