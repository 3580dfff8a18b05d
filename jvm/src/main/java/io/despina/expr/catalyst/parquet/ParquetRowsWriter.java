package io.despina.expr.catalyst.parquet;

import io.despina.expr.FileRowsWriter;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.row.PacketRow;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.ValueType;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetOutputFormat;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.OutputFile;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport;
import org.apache.spark.sql.types.StructType;

/** Writes a parquet file by Spark's own writer, with smaller groups of rows unless the options say how large they are. */
public final class ParquetRowsWriter implements FileRowsWriter {
    /** A sink keeps a group in memory, and there may be many sinks. Spark's 128 MB are for a task that has a core of its own. */
    private static final long GROUP_BYTES = 1 << 24;

    private final ParquetSettings settings;
    private final PacketRow row;
    private final ForwardFile output;
    private final ParquetWriter<InternalRow> writer;

    /** @param out gets the bytes; it stays open */
    public ParquetRowsWriter(OutputStream out, Options options) throws IOException {
        settings = new ParquetSettings(options.options(), options.timeZone(), options.ansi());
        row = ValueType.row(options.schema());
        output = new ForwardFile(out);
        writer = Analysis.under(settings.spark(), () -> {
            StructType schema = SparkTypes.struct(options.schema()).asNullable();
            Configuration hadoop = settings.writing(schema);
            return new Builder(output).withConf(hadoop)
                    .withCompressionCodec(CompressionCodecName.valueOf(settings.options().compressionCodecClassName()))
                    .withRowGroupSize(hadoop.getLong(ParquetOutputFormat.BLOCK_SIZE, GROUP_BYTES))
                    .withPageSize(ParquetOutputFormat.getPageSize(hadoop))
                    .withDictionaryPageSize(ParquetOutputFormat.getDictionaryPageSize(hadoop))
                    .withDictionaryEncoding(ParquetOutputFormat.getEnableDictionary(hadoop)).build();
        });
    }

    /** Its columns, as Spark's JSON. */
    public static String schema(Schema schema) {
        return SparkTypes.struct(schema).asNullable().json();
    }

    @Override
    public void write(Packet packet) throws IOException {
        writer.write(row.on(packet));
    }

    @Override
    public void finish() throws IOException {
        writer.close();
    }

    @Override
    public long bufferedBytes() {
        return Math.max(0, writer.getDataSize() - output.getPos());
    }

    private static final class Builder extends ParquetWriter.Builder<InternalRow, Builder> {

        Builder(OutputFile file) {
            super(file);
        }

        @Override
        protected Builder self() {
            return this;
        }

        /** The one that must be implemented. */
        @Override
        @SuppressWarnings("deprecation")
        protected WriteSupport<InternalRow> getWriteSupport(Configuration hadoop) {
            return new ParquetWriteSupport();
        }
    }
}
