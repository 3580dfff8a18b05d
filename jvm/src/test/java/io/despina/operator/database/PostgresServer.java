package io.despina.operator.database;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A server of PostgreSQL's on a free port of this machine, with a folder of its own, as somebody who is not root. */
public final class PostgresServer {
    private static final Path PROGRAMS = Path.of("/usr/lib/postgresql");
    private static final List<String> USERS = List.of("postgres", "nobody");
    private static PostgresServer shared;

    private final Path folder;
    private final int port;

    private PostgresServer(Path folder, int port) {
        this.folder = folder;
        this.port = port;
    }

    /** The one of this process, whose tests make schemas of their own; skips the test where it is not installed. */
    public static synchronized PostgresServer shared() {
        if (shared == null) {
            shared = create();
            Runtime.getRuntime().addShutdownHook(new Thread(shared::remove));
        }
        return shared;
    }

    /** One that a test may kill. */
    public static PostgresServer create() {
        assumeTrue(program("initdb") != null, "PostgreSQL is not installed: apt install postgresql");
        try {
            Path folder = Files.createTempDirectory("despina-postgres");
            int port;
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            PostgresServer server = new PostgresServer(folder, port);
            if (user() != null) {
                run(List.of("chown", user(), folder.toString()));
            }
            server.as("initdb", "-D", server.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N");
            Path hba = folder.resolve("data/pg_hba.conf");
            Files.writeString(hba, "host all locked 127.0.0.1/32 scram-sha-256\n" + Files.readString(hba));
            server.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path program(String name) {
        if (!Files.isDirectory(PROGRAMS)) {
            return null;
        }
        try (Stream<Path> versions = Files.list(PROGRAMS)) {
            return versions.map(each -> each.resolve("bin").resolve(name)).filter(Files::isExecutable)
                    .max(Comparator.naturalOrder()).orElse(null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Who runs it; null for whoever runs the test. */
    private static String user() throws IOException {
        if (!System.getProperty("user.name").equals("root")) {
            return null;
        }
        List<String> known = Files.readAllLines(Path.of("/etc/passwd")).stream().map(line -> line.split(":")[0]).toList();
        return USERS.stream().filter(known::contains).findFirst().orElseThrow();
    }

    private String data() {
        return folder.resolve("data").toString();
    }

    public void start() throws IOException {
        as("pg_ctl", "-D", data(), "-w", "-t", "60", "-l", folder.resolve("log").toString(), "-o", "-p " + port
                + " -h 127.0.0.1 -k '' -c max_connections=40 -c deadlock_timeout=100ms", "start");
    }

    /** Kills all its processes, as a power failure does. */
    public void kill() throws IOException {
        Path file = folder.resolve("data/postmaster.pid");
        String pid = Files.exists(file) ? Files.readAllLines(file).get(0) : "";
        ProcessHandle postmaster = pid.isEmpty() ? null : ProcessHandle.of(Long.parseLong(pid)).orElse(null);
        if (postmaster == null) {
            return;
        }
        run(List.of("kill", "-STOP", pid));         // else it could begin one more meanwhile
        List<ProcessHandle> all = new ArrayList<>(List.of(postmaster));
        all.addAll(postmaster.descendants().toList());
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(each -> each.onExit().join());
        Files.deleteIfExists(file);     // the next one would take a process for alive that nobody has waited for
    }

    public void remove() {
        try {
            kill();
            run(List.of("rm", "-rf", folder.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void as(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (user() != null) {
            command.addAll(List.of("setpriv", "--reuid", user(), "--regid", user().equals("nobody") ? "nogroup" : user(),
                    "--clear-groups", "--"));
        }
        command.add(program(program).toString());
        command.addAll(List.of(arguments));
        run(command);
    }

    private static void run(List<String> command) throws IOException {
        Path output = Files.createTempFile("despina-command", ".txt");
        Process process = new ProcessBuilder(command).directory(Path.of("/tmp").toFile()).redirectErrorStream(true)
                .redirectOutput(output.toFile()).start();
        int code = process.onExit().join().exitValue();
        String said = Files.readString(output);
        Files.delete(output);
        if (code != 0) {
            throw new IOException(command + " ended with " + code + ": " + said);
        }
    }

    /** For the superuser, who needs no password. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    /** Executes statements, by a connection of its own. */
    public void execute(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(), "postgres", ""); Statement one =
                connection.createStatement()) {
            for (String each : statements) {
                one.execute(each);
            }
        }
    }

    /** The rows of a query, their columns as texts with commas between them. */
    public List<String> rows(String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(), "postgres", ""); Statement one =
                connection.createStatement(); ResultSet found = one.executeQuery(query)) {
            List<String> rows = new ArrayList<>();
            while (found.next()) {
                List<String> columns = new ArrayList<>();
                for (int k = 1; k <= found.getMetaData().getColumnCount(); k++) {
                    columns.add(found.getString(k));
                }
                rows.add(String.join(",", columns.stream().map(String::valueOf).toList()));
            }
            return rows;
        }
    }
}
