import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

/** What a program does by hand with the same codec: subscribes, takes messages and acknowledges each at once, or publishes. */
public final class MqttLoop extends SimpleChannelInboundHandler<MqttMessage> {
    private static final int IN_FLIGHT = 4000;
    private static final int BYTES = 100;
    private static final int IDS = 65_535;
    private static final int KEPT_S = 3600;
    /** The codec takes a header that comes in two reads for one that is too long, unless nothing is. */
    private static final int MOST = Integer.MAX_VALUE;
    /** The first part of what is read, while Java still compiles, does not count. */
    private static final int WARM = 4;

    private final MqttVersion version = MqttVersion.MQTT_5;
    private final CountDownLatch ready = new CountDownLatch(1);
    private final CountDownLatch all = new CountDownLatch(1);
    private final Semaphore room = new Semaphore(IN_FLIGHT);
    private final String client;
    private final String topic;
    private final long count;
    private long taken;
    private long bytes;
    private volatile long begun;
    private volatile long ended;

    private MqttLoop(String client, String topic, long count) {
        this.client = client;
        this.topic = topic;
        this.count = count;
    }

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[1]);
        long count = Long.parseLong(arguments[4]);
        MqttLoop loop = new MqttLoop(arguments[2], arguments[3], count);
        EventLoopGroup threads = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Channel channel = loop.connect(threads, port);
        loop.ready.await();
        switch (arguments[0]) {
            case "subscribe" -> System.out.println(0);
            case "read" -> System.out.println(loop.read());
            default -> System.out.println(loop.publish(channel));
        }
        channel.writeAndFlush(MqttMessageBuilders.disconnect().reasonCode((byte) 0).build()).sync();
        channel.close().sync();
        threads.shutdownGracefully();
        System.exit(0);
    }

    private Channel connect(EventLoopGroup threads, int port) throws InterruptedException {
        return new Bootstrap().group(threads).channel(NioSocketChannel.class).option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel made) {
                        made.pipeline().addLast(MqttEncoder.INSTANCE, new MqttDecoder(MOST), MqttLoop.this);
                    }
                }).connect("127.0.0.1", port).sync().channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        MqttProperties kept = new MqttProperties();
        kept.add(new MqttProperties.IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, KEPT_S));
        kept.add(new MqttProperties.IntegerProperty(MqttProperties.RECEIVE_MAXIMUM, IN_FLIGHT));
        context.writeAndFlush(MqttMessageBuilders.connect().protocolVersion(version).clientId(client).cleanSession(false)
                .properties(kept).keepAlive(KEPT_S).build());
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, MqttMessage message) {
        if (message.decoderResult().isFailure()) {
            throw new IllegalStateException(message.decoderResult().cause());
        }
        switch (message.fixedHeader().messageType()) {
            case CONNACK -> {
                if (count < 0) {
                    context.writeAndFlush(MqttMessageBuilders.subscribe().messageId(1)
                            .addSubscription(MqttQoS.AT_LEAST_ONCE, topic).build());
                } else {
                    ready.countDown();
                }
            }
            case SUBACK -> ready.countDown();
            case PUBLISH -> take(context, (MqttPublishMessage) message);
            case PUBACK -> {
                room.release();
                if (++taken == count) {
                    ended = System.nanoTime();
                    all.countDown();
                }
            }
            default -> { }
        }
    }

    private void take(ChannelHandlerContext context, MqttPublishMessage message) {
        if (taken == count / WARM) {
            begun = System.nanoTime();
        }
        bytes += message.payload().readableBytes();
        context.write(MqttMessageBuilders.pubAck().packetId(message.variableHeader().packetId()).reasonCode((byte) 0).build());
        if (++taken == count) {
            ended = System.nanoTime();
            all.countDown();
        }
    }

    /** A broker that sends much takes few of the answers meanwhile. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.channel().config().setAutoRead(context.channel().isWritable());
    }

    /** Also at the end, when nobody reads this any more. */
    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (all.getCount() > 0 && count > 0) {
            System.err.println("the broker closed the connection after " + taken + " of " + count + " messages");
            Runtime.getRuntime().halt(1);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable why) {
        why.printStackTrace();
        Runtime.getRuntime().halt(1);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    private double read() throws InterruptedException {
        all.await();
        return 1e9 * (count - count / WARM) / (ended - begun);
    }

    private double publish(Channel channel) throws InterruptedException {
        byte[] payload = new byte[BYTES];
        Arrays.fill(payload, (byte) 'x');
        begun = System.nanoTime();
        for (long k = 0; k < count; k++) {
            if (!room.tryAcquire()) {
                channel.flush();
                room.acquire();
            }
            channel.write(MqttMessageBuilders.publish().topicName(topic).qos(MqttQoS.AT_LEAST_ONCE).messageId((int) (k % IDS) + 1)
                    .payload(Unpooled.wrappedBuffer(payload)).build());
        }
        channel.flush();
        all.await();
        return 1e9 * count / (ended - begun);
    }
}
