package io.despina.operator.source.socket;

import io.despina.operator.source.socket.SocketSourcesTest.SocketSubject;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Clients that come at once to a source under test. */
interface Crowd extends Closeable {
    void connect(int count) throws IOException;

    /** Each client from the one number to before the other sends a row: its number and the round. */
    void send(int from, int to, int round) throws IOException;

    /** Clients in this process. */
    final class Here implements Crowd {
        private final List<Client> clients = new ArrayList<>();
        private final SocketSubject subject;
        private final int port;

        Here(SocketSubject subject, int port) {
            this.subject = subject;
            this.port = port;
        }

        @Override
        public void connect(int count) throws IOException {
            for (int k = 0; k < count; k++) {
                Client client = new Client(port);
                clients.add(client);
                subject.open(client);
            }
        }

        @Override
        public void send(int from, int to, int round) throws IOException {
            for (int k = from; k < to; k++) {
                subject.send(clients.get(k), k + "," + round);
            }
        }

        @Override
        public void close() throws IOException {
            for (Client client : clients) {
                client.close();
            }
        }
    }

    /** Clients in a process of their own: so many as its own limit on open files lets in, and as many at the source. */
    final class Elsewhere implements Crowd {
        private static final String DONE = "done";

        private final Process process;
        private final PrintStream orders;
        private final BufferedReader answers;

        Elsewhere(SocketSubject subject, int port) throws IOException {
            process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-Xmx512m", "-cp",
                    System.getProperty("java.class.path"), Elsewhere.class.getName(), subject.name(), Integer.toString(port))
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
            answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        /** The process: does what each line says, and answers it. It ends with its standard input. */
        public static void main(String[] args) throws IOException {
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            try (Here crowd = new Here(SocketSubject.valueOf(args[0]), Integer.parseInt(args[1]))) {
                for (String line = orders.readLine(); line != null; line = orders.readLine()) {
                    String[] order = line.split(" ");
                    if (order.length == 1) {
                        crowd.connect(Integer.parseInt(order[0]));
                    } else {
                        crowd.send(Integer.parseInt(order[0]), Integer.parseInt(order[1]), Integer.parseInt(order[2]));
                    }
                    System.out.println(DONE);
                }
            }
        }

        @Override
        public void connect(int count) throws IOException {
            order(Integer.toString(count));
        }

        @Override
        public void send(int from, int to, int round) throws IOException {
            order(from + " " + to + " " + round);
        }

        private void order(String order) throws IOException {
            orders.println(order);
            String answer = answers.readLine();
            if (!DONE.equals(answer)) {
                throw new IOException("the clients' process ended at \"" + order + "\", see its error above");
            }
        }

        /** The process closes its clients, and is awaited. */
        @Override
        public void close() throws IOException {
            orders.close();
            try {
                int code = process.waitFor();
                if (code != 0) {
                    throw new IOException("the clients' process ended with " + code);
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            } finally {
                process.destroyForcibly();
            }
        }
    }
}
