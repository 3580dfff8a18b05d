package io.despina.gateway;

import java.io.IOException;
import java.net.InetAddress;
import py4j.GatewayServer;

/**
 * The coordinator as a child of Python, reached over py4j. Reads the gateway's secret as the first line of standard input,
 * listens on a free port of 127.0.0.1, writes {@code despina gateway PORT} as its only line of standard output, and ends when
 * standard input ends, so it ends with its parent, however the parent dies. One more line before the end of input means that the
 * parent ends it on purpose.
 */
public final class GatewayMain {
    private static final String END = "end";

    private GatewayMain() {
    }

    public static void main(String[] arguments) throws IOException {
        String secret = readLine();
        if (secret.isEmpty()) {
            System.err.println("despina: no secret on standard input");
            System.exit(3);
        }
        Gateway gateway = new Gateway();
        GatewayServer server = new GatewayServer.GatewayServerBuilder(gateway)
                .javaPort(0).javaAddress(InetAddress.getLoopbackAddress()).authToken(secret).build();
        server.start(true);
        System.out.println("despina gateway " + server.getListeningPort());
        System.out.flush();
        // the read returns when Python ends
        if (readLine().equals(END)) {
            gateway.close();
        } else {
            gateway.abandon();
        }
        System.exit(0);
    }

    private static String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = System.in.read(); c >= 0 && c != '\n'; c = System.in.read()) {
            line.append((char) c);
        }
        return line.toString().trim();
    }
}
