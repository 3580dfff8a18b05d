package io.despina.wire;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;

/** Epoll where there is one, NIO elsewhere. */
record Transport(EventLoopGroup group, IoHandlerFactory handlers, Class<? extends ServerSocketChannel> server,
                 Class<? extends SocketChannel> client) {

    static {
        // Netty's own choice, SLF4J over Log4j, takes longer to start than the rest of a relay's resource
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    }

    static Transport open(int threads) {
        DefaultThreadFactory names = new DefaultThreadFactory("despina-io", true);
        boolean epoll = Epoll.isAvailable();
        IoHandlerFactory handlers = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(threads, names, handlers);
        return epoll ? new Transport(group, handlers, EpollServerSocketChannel.class, EpollSocketChannel.class)
                : new Transport(group, handlers, NioServerSocketChannel.class, NioSocketChannel.class);
    }
}
