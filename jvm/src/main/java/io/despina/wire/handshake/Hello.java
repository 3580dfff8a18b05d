package io.despina.wire.handshake;

import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.wire.frame.FrameException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * The first message of a connection, and those that follow until it is accepted.
 *
 * <pre>
 * connecting: HELLO   'DSPN' · version (1) · role (1: 1 data, 2 control) · nonce (32) · channel (4) · attempt (4)
 *                     · length of name (1) · name
 * accepting:  ANSWER  nonce (32) · proof (32)
 * connecting: PROOF   proof (32)
 * accepting:  VERDICT status (1: 0 accepted, 1 not known yet, 2 refused) · length of reason (2) · reason
 * </pre>
 *
 * <p>The name says which secret both sides prove ({@link KnownSecrets}).
 *
 * @param channel null for a control connection
 * @param name    of the channel's job; of a control connection, the one under which its peer may have been admitted
 */
public record Hello(ChannelId channel, String name, byte[] nonce) {
    static final int MAGIC = 0x4453504e;
    /** Not 2 or 3: a peer with TLS on would take this for the head of an SSL 2 record, and wait for the rest of it. */
    static final int VERSION = 5;
    /** Bytes before the name, the length of which is the last of them. */
    static final int FIXED_BYTES = 4 + 1 + 1 + Secret.NONCE_BYTES + 4 + 4 + 1;
    static final int ANSWER_BYTES = Secret.NONCE_BYTES + Secret.PROOF_BYTES;

    public static final int ACCEPTED = 0;
    public static final int NOT_KNOWN_YET = 1;
    public static final int REFUSED = 2;

    private static final int DATA = 1;
    private static final int CONTROL = 2;
    private static final int LONGEST_NAME = 255;

    public static Hello of(ChannelId channel) {
        return new Hello(channel, channel.attempt().job(), Secret.nonce());
    }

    /** Of a control connection. */
    public static Hello control(String name) {
        return new Hello(null, name, Secret.nonce());
    }

    public byte[] bytes() {
        byte[] named = name.getBytes(StandardCharsets.UTF_8);
        if (named.length > LONGEST_NAME) {
            throw new IllegalArgumentException("a name of " + named.length + " bytes; at most " + LONGEST_NAME);
        }
        byte[] bytes = new byte[FIXED_BYTES + named.length];
        ByteBuf out = Unpooled.wrappedBuffer(bytes).clear();
        out.writeInt(MAGIC).writeByte(VERSION).writeByte(channel == null ? CONTROL : DATA).writeBytes(nonce);
        out.writeInt(channel == null ? 0 : channel.number()).writeInt(channel == null ? 0 : channel.attempt().number());
        out.writeByte(named.length).writeBytes(named);
        return bytes;
    }

    /**
     * The hello's bytes, if they are all there; else null.
     *
     * @throws FrameException if they begin otherwise than a hello
     */
    static byte[] take(ByteBuf in) throws FrameException {
        if (in.readableBytes() >= 4 && in.getInt(in.readerIndex()) != MAGIC) {
            throw new FrameException("not a Despina peer");
        }
        if (in.readableBytes() < FIXED_BYTES) {
            return null;
        }
        int version = in.getByte(in.readerIndex() + 4);
        if (version != VERSION) {
            throw new FrameException("peer speaks version " + version + "; this resource speaks " + VERSION);
        }
        int length = FIXED_BYTES + in.getUnsignedByte(in.readerIndex() + FIXED_BYTES - 1);
        if (in.readableBytes() < length) {
            return null;
        }
        byte[] bytes = new byte[length];
        in.readBytes(bytes);
        return bytes;
    }

    /** The name in it. */
    static String name(byte[] bytes) {
        return new String(bytes, FIXED_BYTES, bytes.length - FIXED_BYTES, StandardCharsets.UTF_8);
    }

    static Hello parse(byte[] bytes) throws FrameException {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        in.skipBytes(5);
        int role = in.readByte();
        byte[] nonce = new byte[Secret.NONCE_BYTES];
        in.readBytes(nonce);
        int number = in.readInt();
        int attempt = in.readInt();
        String name = name(bytes);
        return switch (role) {
            case DATA -> new Hello(new ChannelId(new Attempt(name, attempt), number), name, nonce);
            case CONTROL -> new Hello(null, name, nonce);
            default -> throw new FrameException("hello of role " + role + "; known are " + DATA + " and " + CONTROL);
        };
    }
}
