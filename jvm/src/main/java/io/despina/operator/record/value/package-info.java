/** What decoders of bytes share: a cursor that stays within its record, and the values of a row until it is complete. */
package io.despina.operator.record.value;
