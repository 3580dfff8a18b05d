/**
 * The packet: one record as bytes. Schema and layout, the reused view that reads a packet where it lies, the writer
 * that puts one into a segment. Imports no other package.
 *
 * <pre>
 * packet   = varint length of the body · body
 * body     = null bits (one per nullable column, in column order, padded to bytes; absent if no column is nullable)
 *          · fixed part: in column order, a fixed-width column's bytes (little endian; zeros when null),
 *            or, for every variable-width column but the last, the end of its bytes as a 4-byte offset from the body's start
 *          · tail: the bytes of the variable-width columns, in column order; the last one ends with the body
 * struct   = a body, by the layout of its fields
 * array    = 4-byte count · null bits (if elements may be null) · fixed-width elements, or 4-byte end offsets from the
 *            array's start · tail
 * map      = 4-byte length of the key array · array of keys · array of values
 * </pre>
 */
package io.despina.packet;
