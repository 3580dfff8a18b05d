/** Folds and aggregates by event time: {@code scan}, and {@code aggregate} with each kind of window. */
package io.despina.operator.window;
