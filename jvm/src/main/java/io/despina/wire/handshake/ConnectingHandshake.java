package io.despina.wire.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The connecting side of the handshake ({@link Hello}); replaced by the next handler once the peer accepts. */
public final class ConnectingHandshake extends ByteToMessageDecoder {
    /**
     * The time limit of the handshake, on either side. It takes a millisecond, or seconds in a JVM that starts on a loaded
     * machine. What unauthenticated peers use meanwhile is bounded by their number ({@link UnauthenticatedPeers}).
     */
    public static final int TIMEOUT_S = 10;

    /** Called once with the result, on the connection's IO thread. */
    public interface HandshakeListener {
        /** The next handler, which finds the connection ready when it is added. */
        ChannelHandler accepted();

        /** @param later whether a later try may succeed */
        void refused(String reason, boolean later);
    }

    /**
     * The resource that is called.
     *
     * @param host as its certificate must name it
     * @param tls  whether the connection is inside TLS
     */
    public record Peer(String host, boolean tls) {
    }

    private final Secret secret;
    private final byte[] hello;
    private final Peer peer;
    private final HandshakeListener listener;
    private boolean proved;
    private boolean over;
    private ScheduledFuture<?> timeout;

    public ConnectingHandshake(Secret secret, byte[] hello, Peer peer, HandshakeListener listener) {
        this.secret = secret;
        this.hello = hello;
        this.peer = peer;
        this.listener = listener;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        timeout = ctx.executor().schedule(() -> refuse(ctx, "no answer to the handshake within " + TIMEOUT_S + " s", false),
                TIMEOUT_S, TimeUnit.SECONDS);
        if (!peer.tls()) {
            ctx.writeAndFlush(ctx.alloc().buffer(hello.length).writeBytes(hello));
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent done) {
            if (done.isSuccess()) {
                ctx.writeAndFlush(ctx.alloc().buffer(hello.length).writeBytes(hello));
            } else {
                refuse(ctx, TlsFailure.words(done.cause(), peer.host()), false);
            }
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (over) {
            in.skipBytes(in.readableBytes());
        } else if (!proved) {
            answer(ctx, in);
        } else {
            verdict(ctx, in);
        }
    }

    private void answer(ChannelHandlerContext ctx, ByteBuf in) {
        if (in.readableBytes() < Hello.ANSWER_BYTES) {
            return;
        }
        byte[] nonce = new byte[Secret.NONCE_BYTES];
        byte[] proof = new byte[Secret.PROOF_BYTES];
        in.readBytes(nonce).readBytes(proof);
        if (!secret.proves(proof, Secret.Side.ACCEPTING, hello, nonce)) {
            // a resource that has not been told of the job yet proves its own secret
            refuse(ctx, "it does not know this job's secret", true);
            return;
        }
        proved = true;
        byte[] own = secret.proof(Secret.Side.CONNECTING, hello, nonce);
        ctx.writeAndFlush(ctx.alloc().buffer(own.length).writeBytes(own));
    }

    private void verdict(ChannelHandlerContext ctx, ByteBuf in) {
        int at = in.readerIndex();
        if (in.readableBytes() < 3 || in.readableBytes() < 3 + in.getUnsignedShort(at + 1)) {
            return;
        }
        int status = in.readByte();
        String reason = in.readCharSequence(in.readUnsignedShort(), StandardCharsets.UTF_8).toString();
        if (status != Hello.ACCEPTED) {
            refuse(ctx, reason, status == Hello.NOT_KNOWN_YET);
            return;
        }
        end();
        ctx.pipeline().replace(this, "connection", listener.accepted());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        refuse(ctx, "it closed the connection during the handshake; " + (peer.tls()
                ? "TLS may be off there, or it may have another authority" : "TLS may be on there"), true);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        refuse(ctx, TlsFailure.is(cause) ? TlsFailure.words(cause, peer.host())
                : "handshake failed: " + cause.getMessage(), false);
    }

    private void refuse(ChannelHandlerContext ctx, String reason, boolean later) {
        if (!over) {
            end();
            ctx.close();
            listener.refused(reason, later);
        }
    }

    private void end() {
        over = true;
        if (timeout != null) {
            timeout.cancel(false);
        }
    }
}
