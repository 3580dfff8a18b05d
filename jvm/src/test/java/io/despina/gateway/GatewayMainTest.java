package io.despina.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GatewayMainTest {
    private Process process;

    @AfterEach
    void endTheProcess() throws InterruptedException {
        process.destroyForcibly();
        assertTrue(process.waitFor(10, TimeUnit.SECONDS));
    }

    @Test
    void servesTheFacadeToWhoKnowsTheSecretAndEndsWithItsParent() throws Exception {
        int port = start("s3cret");
        assertEquals("!yv", call(port, "s3cret", null));
        String version = call(port, "s3cret", "c\nt\nversion\ne\n");
        assertTrue(version.startsWith("!ys") && version.contains("despina"), version);
        String refused = call(port, "wrong", null);
        assertTrue(refused.startsWith("!x"), refused);

        process.getOutputStream().close();
        assertTrue(process.waitFor(10, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue());
    }

    @Test
    void refusesToStartWithoutASecret() throws Exception {
        process = launch();
        process.getOutputStream().close();
        assertTrue(process.waitFor(20, TimeUnit.SECONDS));
        assertEquals(3, process.exitValue());
        assertFalse(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).isBlank());
    }

    private int start(String secret) throws IOException {
        process = launch();
        process.getOutputStream().write((secret + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        String line = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        assertTrue(line.startsWith("despina gateway "), line);
        return Integer.parseInt(line.substring("despina gateway ".length()));
    }

    private static Process launch() throws IOException {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), GatewayMain.class.getName()).start();
    }

    /** Py4J's own text protocol: authenticate, then perhaps one command; gives the last answer. */
    private static String call(int port, String secret, String command) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
            Writer out = new java.io.OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8);
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            out.write("A\n" + secret + "\n");
            out.flush();
            String answer = in.readLine();
            if (command != null) {
                out.write(command);
                out.flush();
                answer = in.readLine();
            }
            return answer;
        }
    }
}
