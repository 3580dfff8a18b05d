/**
 * Segments, the pool they come from and the budget they count against. One pool and one budget per resource; every channel
 * end owns a reserved minimum of it, the rest floats to where the load is.
 */
package io.despina.buffer;
