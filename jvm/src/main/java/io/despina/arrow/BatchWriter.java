package io.despina.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;

/**
 * Packets as Arrow record batches, each an encapsulated message of Arrow IPC: a mark, the length of the metadata, the metadata,
 * the buffers, each padded to 8 bytes. The schema goes another way, once.
 */
public final class BatchWriter {
    private static final int MARK = -1;
    private static final int ALIGNED = 8;
    private static final int HEAD = 2 * Integer.BYTES;
    private static final int FIRST_METADATA = 512;
    private static final byte[] NOTHING = {};

    private final int[] columns;
    private final ColumnWriter[] writers;
    private final List<ByteList> buffers = new ArrayList<>();
    private final List<int[]> nodes = new ArrayList<>();
    private final FlatBufferBuilder metadata = new FlatBufferBuilder(FIRST_METADATA);
    private int rows;

    /** @param columns ordinals of those columns of the packets that a batch has, in its order */
    public BatchWriter(Schema schema, int... columns) {
        this.columns = columns.clone();
        writers = Arrays.stream(columns).mapToObj(k -> ColumnWriter.of(schema.column(k).type())).toArray(ColumnWriter[]::new);
    }

    /** Of batches that have all columns of the packets. */
    public static BatchWriter ofAll(Schema schema) {
        return new BatchWriter(schema, IntStream.range(0, schema.size()).toArray());
    }

    public void add(Packet packet) {
        for (int k = 0; k < columns.length; k++) {
            writers[k].add(packet, columns[k]);
        }
        rows++;
    }

    /** Adds a row in which all is NULL. */
    public void addNulls() {
        for (ColumnWriter writer : writers) {
            writer.addNull();
        }
        rows++;
    }

    public int rows() {
        return rows;
    }

    /** The rows since the last call, as a batch. */
    public byte[] take() {
        return take(NOTHING, NOTHING);
    }

    /** The same, between other bytes. @param before so many that what follows is aligned to 8 bytes */
    byte[] take(byte[] before, byte[] behind) {
        for (ColumnWriter writer : writers) {
            writer.nodes((length, nulls) -> nodes.add(new int[] {length, nulls}));
            writer.buffers(buffers::add);
        }
        long body = 0;
        for (ByteList buffer : buffers) {
            body += padded(buffer.size());
        }
        ByteBuffer head = metadata(body);
        int headLength = (int) padded(head.remaining());
        int around = before.length + HEAD + headLength + behind.length;
        if (body > Integer.MAX_VALUE - around - ALIGNED) {
            throw new IllegalArgumentException("a batch of " + body + " bytes");
        }
        byte[] message = Arrays.copyOf(before, around + (int) body);
        int at = before.length;
        Bytes.putInt(message, at, MARK);
        Bytes.putInt(message, at + Integer.BYTES, headLength);
        head.get(message, at + HEAD, head.remaining());
        at += HEAD + headLength;
        for (ByteList buffer : buffers) {
            System.arraycopy(buffer.bytes(), 0, message, at, buffer.size());
            at += (int) padded(buffer.size());
        }
        System.arraycopy(behind, 0, message, at, behind.length);
        clear();
        return message;
    }

    private static long padded(long length) {
        return (length + ALIGNED - 1) / ALIGNED * ALIGNED;
    }

    private ByteBuffer metadata(long body) {
        metadata.clear();
        RecordBatch.startNodesVector(metadata, nodes.size());
        for (int k = nodes.size() - 1; k >= 0; k--) {
            FieldNode.createFieldNode(metadata, nodes.get(k)[0], nodes.get(k)[1]);
        }
        int nodesAt = metadata.endVector();
        RecordBatch.startBuffersVector(metadata, buffers.size());
        long end = body;
        for (int k = buffers.size() - 1; k >= 0; k--) {
            int size = buffers.get(k).size();
            end -= padded(size);
            Buffer.createBuffer(metadata, end, size);
        }
        int buffersAt = metadata.endVector();
        RecordBatch.startRecordBatch(metadata);
        RecordBatch.addLength(metadata, rows);
        RecordBatch.addNodes(metadata, nodesAt);
        RecordBatch.addBuffers(metadata, buffersAt);
        int batch = RecordBatch.endRecordBatch(metadata);
        Message.startMessage(metadata);
        Message.addVersion(metadata, MetadataVersion.V5);
        Message.addHeaderType(metadata, MessageHeader.RecordBatch);
        Message.addHeader(metadata, batch);
        Message.addBodyLength(metadata, body);
        Message.finishMessageBuffer(metadata, Message.endMessage(metadata));
        return metadata.dataBuffer();
    }

    private void clear() {
        buffers.clear();
        nodes.clear();
        for (ColumnWriter writer : writers) {
            writer.clear();
        }
        rows = 0;
    }
}
