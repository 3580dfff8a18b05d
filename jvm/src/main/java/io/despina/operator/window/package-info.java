/** Folds and aggregates by event time or the wall clock: {@code scan}, and {@code aggregate} with each kind of window. */
package io.despina.operator.window;
