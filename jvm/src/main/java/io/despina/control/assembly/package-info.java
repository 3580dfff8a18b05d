/** Turns a checked plan into the tasks of a resource: makes operators, sizes channels, ranks memory. Spark's folds use it too. */
package io.despina.control.assembly;
