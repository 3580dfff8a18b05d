/**
 * Files as a source: {@link io.despina.operator.source.file.FileInput} gives bytes,
 * {@link io.despina.operator.source.file.LineBlocks} lines, {@link io.despina.operator.record.RecordDecoder} packets, and a
 * {@link io.despina.operator.source.file.FileOrder} says which file has its turn.
 */
package io.despina.operator.source.file;
