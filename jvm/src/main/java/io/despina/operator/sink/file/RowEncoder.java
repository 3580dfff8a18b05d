package io.despina.operator.sink.file;

import io.despina.expr.Expressions;
import io.despina.expr.FileRowsWriter;
import io.despina.operator.OperatorContext;
import io.despina.operator.record.LineBuffer;
import io.despina.operator.record.PacketEncoder;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.IOException;

/** Writes packets as parquet files. */
final class RowEncoder implements PacketEncoder {
    private final FileRowsWriter.Options options;
    /** Of the file that is open; else null. */
    private FileRowsWriter writer;

    RowEncoder(RecordFormat.Write records, Schema schema) {
        options = new FileRowsWriter.Options(schema, records.options(), records.timeZone(), records.ansi());
    }

    @Override
    public void head(LineBuffer bytes) throws IOException {
        writer = Expressions.parquetWriter(bytes, options);
    }

    @Override
    public void write(Packet packet, LineBuffer bytes, OperatorContext context) throws IOException {
        writer.write(packet);
    }

    @Override
    public void finish(LineBuffer bytes) throws IOException {
        if (writer != null) {
            FileRowsWriter finishing = writer;
            writer = null;
            finishing.finish();
        }
    }

    @Override
    public long heldBytes() {
        return writer == null ? 0 : writer.bufferedBytes();
    }
}
