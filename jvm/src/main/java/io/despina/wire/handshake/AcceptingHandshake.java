package io.despina.wire.handshake;

import io.despina.link.ChannelId;
import io.despina.wire.frame.FrameException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The accepting side of the handshake ({@link Hello}): until it is over, nothing else is read and little memory is used. */
public final class AcceptingHandshake extends ByteToMessageDecoder {

    /** Admits peers that know their secret. */
    public interface Acceptor {
        /**
         * The handler for what the hello asks for, or a refusal.
         *
         * @param channel  null for a control connection
         * @param admitted the name whose secret the peer has proved; empty for the common one
         */
        Verdict accept(ChannelId channel, String admitted);
    }

    /**
     * A handler, or the reason for a refusal.
     *
     * @param loop serves the connection from now on; null for the present one
     */
    public record Verdict(ChannelHandler handler, EventLoop loop, int status, String reason) {
        public static Verdict accepted(ChannelHandler handler, EventLoop loop) {
            return new Verdict(handler, loop, Hello.ACCEPTED, "");
        }

        public static Verdict refused(int status, String reason) {
            return new Verdict(null, null, status, reason);
        }
    }

    private final KnownSecrets secrets;
    private final Acceptor acceptor;
    private final byte[] nonce = Secret.nonce();
    private byte[] hello;
    /** What the peer must prove: it stays the same until it has; null before its hello. */
    private KnownSecrets.Known known;
    private boolean over;
    private final UnauthenticatedPeers unauthenticated;
    private Channel connection;
    private ScheduledFuture<?> timeout;

    /** @param unauthenticated holds this connection until its peer has proved that it knows its secret */
    public AcceptingHandshake(KnownSecrets secrets, Acceptor acceptor, UnauthenticatedPeers unauthenticated) {
        this.secrets = secrets;
        this.acceptor = acceptor;
        this.unauthenticated = unauthenticated;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        connection = ctx.channel();
        unauthenticated.add(connection);
        timeout = ctx.executor().schedule(() -> ctx.close(), ConnectingHandshake.TIMEOUT_S, TimeUnit.SECONDS);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws FrameException {
        if (over) {
            in.skipBytes(in.readableBytes());
        } else if (hello == null) {
            hello = Hello.take(in);
            if (hello != null) {
                known = secrets.known(Hello.name(hello));
                byte[] proof = known.secret().proof(Secret.Side.ACCEPTING, hello, nonce);
                ctx.writeAndFlush(ctx.alloc().buffer(Hello.ANSWER_BYTES).writeBytes(nonce).writeBytes(proof));
            }
        } else if (in.readableBytes() >= Secret.PROOF_BYTES) {
            byte[] proof = new byte[Secret.PROOF_BYTES];
            in.readBytes(proof);
            judge(ctx, known.secret().proves(proof, Secret.Side.CONNECTING, hello, nonce));
        }
    }

    private void judge(ChannelHandlerContext ctx, boolean isProved) throws FrameException {
        end();
        Verdict verdict = isProved ? acceptor.accept(Hello.parse(hello).channel(), known.admitted())
                : Verdict.refused(Hello.REFUSED, "the peer does not know the secret");
        if (verdict.handler() == null) {
            ctx.writeAndFlush(bytes(ctx, verdict)).addListener(ChannelFutureListener.CLOSE);
        } else if (verdict.loop() == null || verdict.loop() == ctx.channel().eventLoop()) {
            open(ctx, verdict);
        } else {
            move(ctx, verdict);
        }
    }

    /**
     * Moves the connection to the loop that is to serve it. The verdict is sent first, because that loop may be busy for longer
     * than the peer's timeout. What the peer sends meanwhile waits in the socket, which is not read.
     */
    private void move(ChannelHandlerContext ctx, Verdict verdict) {
        Channel channel = ctx.channel();
        channel.config().setAutoRead(false);
        ctx.writeAndFlush(bytes(ctx, verdict)).addListener(told -> channel.deregister()
                .addListener(left -> verdict.loop().register(channel).addListener(moved -> {
                    if (moved.isSuccess() && !ctx.isRemoved()) {        // removed if the connection has broken meanwhile
                        ctx.pipeline().replace(this, "connection", verdict.handler());
                    } else {
                        channel.unsafe().closeForcibly();
                    }
                })));
    }

    private void open(ChannelHandlerContext ctx, Verdict verdict) {
        ctx.writeAndFlush(bytes(ctx, verdict));
        ctx.pipeline().replace(this, "connection", verdict.handler());
    }

    private static ByteBuf bytes(ChannelHandlerContext ctx, Verdict verdict) {
        byte[] reason = verdict.reason().getBytes(StandardCharsets.UTF_8);
        return ctx.alloc().buffer().writeByte(verdict.status()).writeShort(reason.length).writeBytes(reason);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
    }

    /** A peer without the secret gets no answer. A failure of TLS is reported here, because its reason may be on this side. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!over && TlsFailure.is(cause)) {
            unauthenticated.failed(ctx.channel().remoteAddress(), TlsFailure.ofCaller(cause, ctx.channel().localAddress()));
        }
        end();
        ctx.close();
    }

    private void end() {
        over = true;
        unauthenticated.remove(connection);
        if (timeout != null) {
            timeout.cancel(false);
        }
    }
}
