/** From a checked plan to the tasks of a resource: operators made, channels sized, memory ranked. Spark's folds use it too. */
package io.despina.control.assembly;
