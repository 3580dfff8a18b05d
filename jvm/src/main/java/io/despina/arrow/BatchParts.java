package io.despina.arrow;

import io.despina.packet.Bytes;
import java.nio.ByteBuffer;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;

/** The nodes and buffers of a record batch in order: each column takes its own. */
final class BatchParts {
    private static final int HEAD = 2 * Integer.BYTES;
    private static final int MARK = -1;

    private final byte[] bytes;
    private final RecordBatch batch;
    private final int body;
    private final int rows;
    private final FieldNode node = new FieldNode();
    private final Buffer buffer = new Buffer();
    private int nodes;
    private int buffers;
    private int length;

    /** @param bytes one encapsulated message of Arrow IPC */
    BatchParts(byte[] bytes) {
        this.bytes = bytes;
        if (bytes.length < HEAD || Bytes.getInt(bytes, 0) != MARK) {
            throw new ArrowException("no mark");
        }
        int head = Bytes.getInt(bytes, Integer.BYTES);
        if (head <= 0 || head > bytes.length - HEAD) {
            throw new ArrowException("metadata of " + head + " bytes");
        }
        Message message = Message.getRootAsMessage(ByteBuffer.wrap(bytes, HEAD, head).slice());
        if (message.headerType() != MessageHeader.RecordBatch) {
            throw new ArrowException("a message of kind " + message.headerType());
        }
        batch = (RecordBatch) message.header(new RecordBatch());
        if (batch == null) {
            throw new ArrowException("a message without its batch");
        }
        if (batch.compression() != null) {
            throw new ArrowException("it is compressed");
        }
        body = HEAD + head;
        rows = index(batch.length());
    }

    byte[] bytes() {
        return bytes;
    }

    int rows() {
        return rows;
    }

    /** @return the rows of the next node; {@link #nulls} are then its NULLs */
    int nextNode() {
        if (nodes >= batch.nodesLength()) {
            throw new ArrowException("only " + nodes + " columns");
        }
        batch.nodes(node, nodes++);
        return index(node.length());
    }

    int nulls() {
        return index(node.nullCount());
    }

    /** @return where the next buffer begins, which has {@code least} bytes at least; {@link #length} is then its length */
    int nextBuffer(long least) {
        if (buffers >= batch.buffersLength()) {
            throw new ArrowException("only " + buffers + " buffers");
        }
        batch.buffers(buffer, buffers++);
        long from = buffer.offset();
        long size = buffer.length();
        if (from < 0 || size < least || from > bytes.length - body || size > bytes.length - body - from) {
            throw new ArrowException("a buffer of " + size + " bytes at " + from + ", where " + least + " are needed");
        }
        length = (int) size;
        return body + (int) from;
    }

    int length() {
        return length;
    }

    private static int index(long number) {
        if (number < 0 || number > Integer.MAX_VALUE) {
            throw new ArrowException("a length of " + number);
        }
        return (int) number;
    }
}
