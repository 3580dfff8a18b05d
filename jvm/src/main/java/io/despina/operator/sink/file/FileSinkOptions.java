package io.despina.operator.sink.file;

import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.disk.FileCodec;
import io.despina.operator.record.PacketEncoder;
import io.despina.operator.record.RecordEncoder;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.record.avro.AvroException;
import io.despina.operator.record.avro.AvroOptions;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.FileFormat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * What a {@link FileSink} writes.
 *
 * @param formatters gives Spark's formatter for what the byte-level writer does not write; called when first needed
 */
public record FileSinkOptions(Place place, Roll roll, RecordFormat.Write records,
        Function<TextOptions, RecordFormatter> formatters) {

    /** The same, without options that configure a file system. */
    FileSinkOptions withoutSettings() {
        return new FileSinkOptions(place, roll, records.with(FileAddress.withoutSettings(records.options())), formatters);
    }

    /** @throws IllegalArgumentException if the format cannot have such rows */
    void refuse(String operator, Schema schema) {
        if (records.format() == FileFormat.TEXT && (schema.size() != 1 || schema.column(0).type() != Type.Simple.STRING)) {
            throw new IllegalArgumentException(operator + ": format text writes one STRING column, not " + schema);
        }
    }

    /** The ending of part files' names. */
    String ending() {
        if (records.format() == FileFormat.PARQUET) {
            return ParquetCodec.ending(records.options());
        }
        String plain = records.format().ending();
        return codec() == null ? plain : plain + "." + codec().ending();
    }

    /** What the epochs of a file have in common: other ones cannot be put together with them. */
    String shape(Schema schema) {
        String shape = records.format() + " " + new TreeMap<>(records.options()) + " " + schema.sql();
        try {
            String own = records.format() != FileFormat.AVRO ? "" : new AvroOptions(records.options()).written(schema).toString();
            return UUID.nameUUIDFromBytes((shape + own).getBytes(StandardCharsets.UTF_8)).toString();
        } catch (AvroException why) {
            throw new IllegalArgumentException(why.getMessage(), why);
        }
    }

    /** Writes the rows of one file after another. */
    PacketEncoder encoder(Schema schema) {
        return switch (records.format()) {
            case PARQUET -> new RowEncoder(records, schema);
            case AVRO -> new ContainerEncoder(records, schema);
            default -> RecordEncoder.ofFiles(records, formatters, schema);
        };
    }

    /** What packs the files; null for none. */
    FileCodec codec() {
        return FileCodec.of(records.format(), records.options());
    }

    /**
     * Where to write.
     *
     * @param path       a folder of part files, or with {@code singleFile} one file
     * @param replace    whether the first commit replaces an earlier run's output; else such output is an error
     * @param graph      the graph's name: with the operator's id it names hidden files, so that a resumed job finds them
     */
    public record Place(Path path, boolean singleFile, boolean replace, String graph) {
    }

    /**
     * When to make rows visible before the job ends.
     *
     * @param everyNanos after its first row; 0 for never
     * @param bytes      0 for any size
     * @param disk       waits for the disk instead of the sink's thread
     */
    public record Roll(long everyNanos, long bytes, Executor disk) {
        public static final Roll NEVER = new Roll(0, 0, Runnable::run);
    }
}
