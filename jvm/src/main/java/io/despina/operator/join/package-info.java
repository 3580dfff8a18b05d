/** Two streams into one, by event time: as-of and interval joins. */
package io.despina.operator.join;
