package io.despina.redis;

import io.despina.ConnectorCase;
import io.despina.connect.ConnectorSettings;
import io.despina.operator.outbox.MarkedSink;
import io.despina.operator.outbox.MarkedTargetContract;
import io.despina.operator.outbox.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Protocol.Command;

/** A stream of Redis. */
@ConnectorCase("redis: empty, ahead")
class RedisTargetTest extends MarkedTargetContract {
    private static final long CONNECT_MS = 10_000;

    private static ServerProcess server;

    @BeforeAll
    static void start(@TempDir Path of) throws IOException {
        server = ServerProcess.start("redis-server", of, port -> List.of("--bind", "127.0.0.1", "--port", Integer.toString(port),
                "--save", ""));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static ConnectorSettings settings() {
        return new ConnectorSettings(Map.of("server", "redis://127.0.0.1:" + server.port(), "stream", "t", "field", "value",
                "markers", "m", "connect_ms", CONNECT_MS, "retry_for_ms", 60_000L, "buffer_bytes", 1L << 20));
    }

    private static Object ask(Command command, String... arguments) throws IOException {
        try (Link link = Link.open(settings(), "test", CONNECT_MS)) {
            return link.ask(command, arguments);
        }
    }

    @Override
    protected void prepare() throws IOException {
        ask(Command.FLUSHALL);
    }

    @Override
    protected MarkedSink sink() {
        return records(RedisConnector::new, settings());
    }

    @Override
    protected List<Integer> rows() throws IOException {
        return ((List<?>) ask(Command.XRANGE, "t", "-", "+")).stream().map(each -> (List<?>) ((List<?>) each).get(1))
                .map(fields -> Integer.valueOf(new String((byte[]) fields.get(1), StandardCharsets.UTF_8))).toList();
    }
}
