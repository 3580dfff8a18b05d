/**
 * The interfaces of classes of yours that run inside a graph. A class needs nothing else of the engine: compile it against the
 * engine's jar, put it into a jar of its own, and name that jar where the graph runs.
 *
 * <p>The class needs a public constructor without parameters. Each operator instance has its own object, called by one thread at
 * a time, so the class needs no locks. A call must not block, unless the graph says {@code "blocks": true}, because other
 * operators share its thread.
 *
 * <p>Rows and states that a call gets are views that move on with the next row. Copy what you keep.
 */
package io.despina.api;
