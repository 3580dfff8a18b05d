/** Operators that ask something outside of the stream about each packet. */
package io.despina.operator.lookup;
