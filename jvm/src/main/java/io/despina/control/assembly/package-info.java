/** Turns a checked plan into the tasks of a resource: makes operators, sizes channels, ranks memory. */
package io.despina.control.assembly;
