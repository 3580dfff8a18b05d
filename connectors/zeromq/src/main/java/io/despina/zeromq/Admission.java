package io.despina.zeromq;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import org.zeromq.ZMsg;

/**
 * Answers the sockets of a context whether a client's key is one of those that may come (ZAP, RFC 27). Sockets of CURVE ask it as
 * soon as it is there.
 */
final class Admission extends Thread {
    private static final String WHERE = "inproc://zeromq.zap.01";
    private static final int WAIT_MS = 200;
    private static final int END_MS = 5_000;
    /** Of a request: version, number, domain, address, identity, mechanism, and the key. */
    private static final int FRAMES = 7;

    private final Set<String> allowed;
    private final ZMQ.Socket asked;
    private volatile boolean closed;

    /** @param keys those of clients that may come, in Z85 */
    Admission(ZContext context, List<String> keys) {
        super("despina-zeromq-keys");
        setDaemon(true);
        allowed = new HashSet<>(keys);
        asked = context.createSocket(SocketType.REP);
        asked.setReceiveTimeOut(WAIT_MS);
        asked.bind(WHERE);
        start();
    }

    @Override
    public void run() {
        try {
            while (!closed) {
                ZMsg request = ZMsg.recvMsg(asked);
                if (request != null) {
                    answer(request).send(asked);
                }
            }
        } catch (ZMQException ended) {
            // its context has
        } finally {
            asked.close();
        }
    }

    private ZMsg answer(ZMsg request) {
        List<byte[]> frames = request.stream().map(each -> each.getData()).toList();
        boolean isCurve = frames.size() == FRAMES
                && "CURVE".equals(new String(frames.get(5), StandardCharsets.US_ASCII));
        boolean may = isCurve && frames.get(6).length == ZMQ.Curve.KEY_SIZE
                && allowed.contains(ZMQ.Curve.z85Encode(frames.get(6)));
        ZMsg reply = new ZMsg();
        reply.add("1.0");
        reply.add(frames.size() > 1 ? frames.get(1) : new byte[0]);
        reply.add(may ? "200" : "400");
        reply.add(may ? "OK" : "no such key");
        reply.add("");
        reply.add(new byte[0]);
        return reply;
    }

    void close() {
        closed = true;
        try {
            join(END_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
