package io.despina.compare.storm;

import java.net.InetSocketAddress;
import org.apache.storm.security.auth.SimpleTransportPlugin;
import org.apache.storm.thrift.TProcessor;
import org.apache.storm.thrift.server.THsHaServer;
import org.apache.storm.thrift.server.TServer;
import org.apache.storm.thrift.transport.TNonblockingServerSocket;
import org.apache.storm.thrift.transport.TTransportException;

/** Storm's plain transport on 127.0.0.1 alone: by itself it listens on every address, and has no setting for it. */
public final class LocalTransport extends SimpleTransportPlugin {
    private int port;

    @Override
    public TServer getServer(TProcessor processor) throws TTransportException {
        TNonblockingServerSocket socket = new TNonblockingServerSocket(
                new InetSocketAddress("127.0.0.1", type.getPort(topoConf)));
        port = socket.getPort();
        int threads = type.getNumThreads(topoConf);
        return new THsHaServer(new THsHaServer.Args(socket).processor(processor).minWorkerThreads(threads)
                .maxWorkerThreads(threads));
    }

    @Override
    public int getPort() {
        return port;
    }
}
