package io.despina.mqtt;

import io.despina.connect.RefusedException;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;

/**
 * One connection to a broker, from CONNECT to its end; another one follows it. It keeps itself alive, and finds out when the
 * broker is silent. What comes goes to its {@link User}, always from its own thread. While it does not read, bytes wait in the
 * socket, and then at the broker.
 */
final class Link extends ChannelInboundHandlerAdapter {
    /** For all connections of the process. */
    static final EventLoopGroup THREADS = new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory("despina-mqtt", true),
            NioIoHandler.newFactory());
    /** Its chunks have 1 MB: there are few connections. */
    private static final PooledByteBufAllocator BYTES = new PooledByteBufAllocator(true, 1, 1, 8192, 7, 64, 32, false);
    private static final long CLOSE_MS = 3_000;

    /** What it is told at the beginning. @param most bytes of a packet; what is longer is cut off */
    record Opening(boolean isClean, MqttProperties properties, int most) {
    }

    /** Who uses a connection. */
    interface User {
        /** The broker has taken it. @param session whether it knew the client */
        void connected(Link link, boolean session, MqttProperties limits);

        /** Packets other than those about the connection; the receiver releases them. */
        void received(Link link, MqttMessage message);

        /** It has ended, or was never made. Nothing follows. */
        void lost(Link link, IOException why);
    }

    private final Broker broker;
    private final Opening opening;
    private final User user;
    private Channel channel;
    private boolean isConnected;
    private boolean isOver;
    private IOException why;
    /** When a PINGREQ was sent that is not answered; 0 if none was. */
    private long asked;
    private Future<?> pings;

    private Link(Broker broker, Opening opening, User user) {
        this.broker = broker;
        this.opening = opening;
        this.user = user;
    }

    static Link open(Broker broker, Opening opening, User user) {
        Link link = new Link(broker, opening, user);
        new Bootstrap().group(THREADS).channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(Integer.MAX_VALUE, broker.connectMs()))
                .option(ChannelOption.TCP_NODELAY, true).option(ChannelOption.ALLOCATOR, BYTES)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel made) {
                        link.channel = made;
                        link.fill(made);
                    }
                }).connect(broker.host(), broker.port()).addListener(done -> {
                    if (!done.isSuccess()) {
                        link.over(Words.unconnected(broker, done.cause()));
                    }
                });
        return link;
    }

    private void fill(SocketChannel made) {
        if (broker.tls() != null) {
            SslHandler tls = broker.tls().newHandler(made.alloc(), broker.host(), broker.port());
            SSLParameters parameters = tls.engine().getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            tls.engine().setSSLParameters(parameters);
            tls.setHandshakeTimeoutMillis(broker.connectMs());
            tls.handshakeFuture().addListener(this::handshaken);
            made.pipeline().addLast(tls);
        }
        made.pipeline().addLast(MqttEncoder.INSTANCE, new PacketCutter(opening.most), new MqttDecoder(opening.most), this);
    }

    private void handshaken(Future<?> done) {
        if (done.isSuccess()) {
            connect();
        } else {
            end(Words.unanswered(broker, done.cause()));
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (broker.tls() == null) {
            connect();
        }
    }

    private void connect() {
        MqttMessageBuilders.ConnectBuilder connect = MqttMessageBuilders.connect().protocolVersion(broker.version())
                .clientId(broker.client()).cleanSession(opening.isClean).keepAlive(broker.keepAliveSeconds())
                .properties(opening.properties);
        if (broker.user() != null) {
            connect.username(broker.user());
        }
        if (broker.password() != null) {
            connect.password(broker.password().getBytes(StandardCharsets.UTF_8));
        }
        channel.writeAndFlush(connect.build());
        channel.eventLoop().schedule(() -> {
            if (!isConnected) {
                end(new IOException("`broker` " + broker + " does not answer within connect_ms=" + broker.connectMs()));
            }
        }, broker.connectMs(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        MqttMessage message = (MqttMessage) read;
        asked = 0;
        if (message.decoderResult().isFailure()) {
            ReferenceCountUtil.release(message);
            end(new IOException("`broker` " + broker + " sends what is no MQTT: "
                    + message.decoderResult().cause().getMessage()));
            return;
        }
        switch (message.fixedHeader().messageType()) {
            case CONNACK -> answered((MqttConnAckMessage) message);
            case PINGRESP -> { }
            case DISCONNECT -> disconnected(message);
            default -> user.received(this, message);
        }
    }

    private void answered(MqttConnAckMessage answer) {
        MqttConnectReturnCode code = answer.variableHeader().connectReturnCode();
        if (code != MqttConnectReturnCode.CONNECTION_ACCEPTED) {
            end(Words.refused(broker, code));
            return;
        }
        isConnected = true;
        MqttProperties limits = answer.variableHeader().properties();
        MqttProperties.MqttProperty<?> wanted = limits.getProperty(MqttProperties.SERVER_KEEP_ALIVE);
        long millis = wanted == null ? TimeUnit.SECONDS.toMillis(broker.keepAliveSeconds())
                : TimeUnit.SECONDS.toMillis((Integer) wanted.value());
        keepAlive(Math.max(1, millis / 2));
        user.connected(this, answer.variableHeader().isSessionPresent(), limits);
    }

    private void disconnected(MqttMessage message) {
        int reason = message.variableHeader() instanceof MqttReasonCodeAndPropertiesVariableHeader header
                ? header.reasonCode() & 0xFF : 0;
        String words = "`broker` " + broker + " ends the connection: " + Words.of(reason);
        end(reason == Words.TAKEN_OVER || reason == Words.NOT_AUTHORIZED ? new RefusedException(words, null)
                : new IOException(words));
    }

    /** Pings at half of the time that the broker waits. While nothing is read, no answer is seen either. */
    private void keepAlive(long millis) {
        pings = channel.eventLoop().scheduleAtFixedRate(() -> {
            long now = System.nanoTime();
            if (asked != 0 && channel.config().isAutoRead() && now - asked > TimeUnit.MILLISECONDS.toNanos(millis)) {
                end(new IOException("`broker` " + broker + " is silent"));
                return;
            }
            if (asked == 0 || !channel.config().isAutoRead()) {
                asked = now;
            }
            channel.writeAndFlush(MqttMessage.PINGREQ);
        }, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** From any thread: whether it reads. */
    void read(boolean on) {
        channel.eventLoop().execute(() -> {
            if (on) {
                asked = 0;
            }
            channel.config().setAutoRead(on);
        });
    }

    /** From its own thread: reads nothing more for now. */
    void pause() {
        channel.config().setAutoRead(false);
    }

    /** From any thread. */
    void run(Runnable task) {
        channel.eventLoop().execute(task);
    }

    ByteBuf buffer(int bytes) {
        return channel.alloc().buffer(bytes);
    }

    /** Writes a packet or its bytes; {@link #flush} sends them. @return done when they are in the socket */
    Future<Void> write(Object packet) {
        return channel.write(packet);
    }

    void flush() {
        channel.flush();
    }

    /** From its own thread. */
    boolean isReading() {
        return channel.config().isAutoRead();
    }

    Broker broker() {
        return broker;
    }

    /** Ends it, because of that. */
    void end(IOException because) {
        if (why == null) {
            why = because;
        }
        channel.close();
        over(why);
    }

    private void over(IOException because) {
        endPings();
        if (!isOver) {
            isOver = true;
            user.lost(this, because);
        }
    }

    private void endPings() {
        if (pings != null) {
            pings.cancel(false);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        over(why != null ? why : isConnected ? new IOException("`broker` " + broker + " has closed the connection")
                : Words.unanswered(broker));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        end(isConnected ? new IOException("the connection to `broker` " + broker + " is broken: " + cause.getMessage(), cause)
                : Words.unanswered(broker, cause));
    }

    /** Says farewell, and waits until that is sent. */
    void close(MqttProperties farewell) {
        try {
            channel.eventLoop().submit(() -> {
                isOver = true;
                endPings();
                if (channel.isActive() && isConnected) {
                    MqttMessage disconnect = broker.isFive() ? MqttMessageBuilders.disconnect().reasonCode((byte) 0)
                            .properties(farewell).build() : MqttMessage.DISCONNECT;
                    channel.writeAndFlush(disconnect).addListener(done -> channel.close());
                } else {
                    channel.close();
                }
            }).await(CLOSE_MS);
            channel.closeFuture().await(CLOSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
