package io.despina.wire.frame;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Reads and writes control frames: all messages of a control connection, and those that the receiving side of a data channel
 * sends back. What a message has beyond its first half of a MiB takes memory only as its bytes arrive.
 */
public final class ControlFrames {
    /** First byte of a message from a receiving side: it has stopped reading, because its task is slow. */
    public static final byte PAUSED = 'P';
    /** It reads again. */
    public static final byte READING = 'R';
    /** It has received the whole channel, including END. Only then has the channel ended well, and the sender closes. */
    public static final byte ENDED = 'E';
    /** It closes; the rest of the message is the reason. */
    public static final byte FAILED = 'F';

    /** So much is believed of a header at once: a slice of a state fits, and need not be copied as it grows. */
    private static final int FIRST_BYTES = 512 << 10;

    private final int most;
    private final int attempt;
    private final FrameHeader header = new FrameHeader();
    private int headerHas;
    private byte[] message;
    private int messageHas;
    private long sequence;

    /**
     * @param most    bytes of the largest message taken
     * @param attempt of the job whose channel it is; 0 in a control connection
     */
    public ControlFrames(int most, int attempt) {
        this.most = most;
        this.attempt = attempt;
    }

    public static ByteBuf write(ByteBuf out, int attempt, long sequence, byte[] message) {
        FrameHeader header = new FrameHeader().of(FrameHeader.CONTROL, 0, sequence).attempt(attempt)
                .payload(message, 0, message.length, message.length);
        return out.writeBytes(header.bytes).writeBytes(message);
    }

    /** The next message, or null if it has not arrived whole; then all of {@code in} is read. */
    public byte[] read(ByteBuf in) throws FrameException {
        if (headerHas < FrameHeader.BYTES) {
            int n = Math.min(FrameHeader.BYTES - headerHas, in.readableBytes());
            in.readBytes(header.bytes, headerHas, n);
            headerHas += n;
            if (headerHas < FrameHeader.BYTES) {
                return null;
            }
            check();
        }
        int length = header.payloadLength();
        int n = Math.min(length - messageHas, in.readableBytes());
        if (messageHas + n > message.length) {
            message = Arrays.copyOf(message, (int) Math.min(length, Math.max(messageHas + n, 2L * message.length)));
        }
        in.readBytes(message, messageHas, n);
        messageHas += n;
        if (messageHas < length) {
            return null;
        }
        header.checkPayload(message, 0);
        sequence++;
        headerHas = 0;
        return message.length == length ? message : Arrays.copyOf(message, length);
    }

    private void check() throws FrameException {
        header.check(most);
        if (header.kind() != FrameHeader.CONTROL || header.isCompressed()) {
            throw new FrameException("frame of kind " + header.kind() + " where a control frame must follow");
        }
        FrameReader.requireAttempt(header, attempt);
        if (header.sequence() != sequence) {
            throw new FrameException("control frame " + header.sequence() + " where " + sequence + " must follow");
        }
        message = new byte[Math.min(header.payloadLength(), FIRST_BYTES)];
        messageHas = 0;
    }
}
