package io.despina.operator.sink.file;

import io.despina.operator.OperatorContext;
import io.despina.operator.record.LineBuffer;
import io.despina.operator.record.PacketEncoder;
import io.despina.operator.record.RecordEncoder;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.record.avro.AvroContainer;
import io.despina.operator.record.avro.AvroException;
import io.despina.operator.record.avro.AvroOptions;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.IOException;

/** Writes packets as container files of Avro. What it has written is always whole blocks. */
final class ContainerEncoder implements PacketEncoder {
    /** About the bytes of a block before it is packed, as Avro's own writer has it. */
    private static final int BLOCK_BYTES = 64_000;

    private final AvroContainer container;
    private final RecordEncoder encoder;
    private final LineBuffer block = new LineBuffer();
    private long records;

    ContainerEncoder(RecordFormat.Write written, Schema schema) {
        encoder = new RecordEncoder(written, none -> null, schema);
        try {
            container = new AvroOptions(written.options()).container(schema);
        } catch (AvroException why) {
            throw new IllegalArgumentException(why.getMessage(), why);
        }
    }

    @Override
    public void head(LineBuffer bytes) throws IOException {
        byte[] head = container.head();
        bytes.write(head, 0, head.length);
    }

    @Override
    public void write(Packet packet, LineBuffer bytes, OperatorContext context) throws Exception {
        if (encoder.put(packet, block, context)) {
            records++;
            if (block.size() >= BLOCK_BYTES) {
                finish(bytes);
            }
        }
    }

    @Override
    public void finish(LineBuffer bytes) throws IOException {
        if (records > 0) {
            container.block(records, block.bytes(), block.size(), bytes);
            records = 0;
            block.cut(0);
        }
    }

    @Override
    public long heldBytes() {
        return block.size();
    }
}
