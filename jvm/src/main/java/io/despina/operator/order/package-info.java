/** Event order and its clocks: what waits for a watermark, for a key's own clock, or for the wall clock. */
package io.despina.operator.order;
