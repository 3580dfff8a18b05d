package io.despina.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.asking.AskedServer.Secrets;
import io.despina.asking.AskedServer.Times;
import io.despina.asking.ScriptedHttp.Asked;
import io.despina.asking.ScriptedHttp.Reply;
import io.despina.operator.source.socket.SelfSigned;
import io.despina.socket.HttpLogin;
import io.despina.socket.TlsFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpAskerTest {
    private static final int MOST = 1 << 20;

    private final FakeHost host = new FakeHost();
    private ScriptedHttp server;
    private AskedServer.ServerLogin login;

    private void serve(Function<Asked, Reply> answers) throws IOException {
        close();
        server = new ScriptedHttp(null, answers);
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    private HttpAsker asker(AskedServer at) throws IOException {
        return new HttpAsker(at, "application/json", host.clock(), host::warn);
    }

    private String ask() throws Exception {
        return ask(asker(server.server("/a", login)), server.url("/a"));
    }

    private static String ask(HttpAsker asker, String url) throws Exception {
        return asker.askAgain(() -> new String(asker.whole(asker.ask(URI.create(url), Map.of()), MOST), StandardCharsets.UTF_8));
    }

    @Test
    void aServerThatFailsOrIsBusyIsAskedAgain() throws Exception {
        List<Reply> replies = List.of(Reply.of(503, "down"), Reply.of(429, "slow").with("Retry-After", "7"), Reply.of(500, ""),
                Reply.of("yes"));
        int[] k = {0};
        serve(asked -> replies.get(k[0]++));
        assertEquals("yes", ask());
        assertEquals(List.of(server.url("/a") + " answers 503: down; trying again"), host.warnings);
        assertTrue(host.slept.get(0) >= 25 && host.slept.get(0) < 50, host.slept.toString());
        assertEquals(7000, host.slept.get(1));
        assertTrue(host.slept.get(2) >= 100 && host.slept.get(2) < 200, host.slept.toString());
    }

    @Test
    void aServerThatStaysAwayFailsTheJob() throws Exception {
        serve(asked -> Reply.of(503, "down").with("Retry-After", "50"));
        assertEquals(server.url("/a") + " answers 503: down; tried again for retry_for_ms=60000",
                assertThrows(IOException.class, this::ask).getMessage());
        assertEquals(List.of(50_000L, 10_000L), host.slept);
    }

    @Test
    void anyOtherAnswerIsARefusal() throws Exception {
        serve(asked -> Reply.of(404, "no\nsuch thing"));
        assertEquals(server.url("/a") + " answers 404: no\uFFFDsuch thing",
                assertThrows(AnswerRefusedException.class, this::ask).getMessage());
        serve(asked -> Reply.of(401, ""));
        assertEquals(server.url("/a") + " answers 401 (it wants a login: see `token_env`, `user`, `oauth2` and `headers_env`)",
                assertThrows(AnswerRefusedException.class, this::ask).getMessage());
    }

    @Test
    void redirectionsAreFollowedWithinTheHost() throws Exception {
        login = new AskedServer.BearerLogin(() -> "secret");
        serve(asked -> asked.uri().equals("/a") ? Reply.of(302, "").with("Location", "/b")
                : Reply.of(asked.header("Authorization")));
        assertEquals("Bearer secret", ask());
        serve(asked -> Reply.of(308, "").with("Location", "http://localhost.localdomain/b"));
        assertEquals(server.url("/a") + " redirects to http://localhost.localdomain/b: that is another server; if it is meant, "
                + "write it into `url`", assertThrows(AnswerRefusedException.class, this::ask).getMessage());
        serve(asked -> Reply.of(301, "").with("Location", "/a"));
        assertEquals(server.url("/a") + " redirects more than 5 times",
                assertThrows(AnswerRefusedException.class, this::ask).getMessage());
        serve(asked -> Reply.of(301, ""));
        assertEquals(server.url("/a") + " answers 301 without the header `Location`",
                assertThrows(AnswerRefusedException.class, this::ask).getMessage());
    }

    @Test
    void aFileMayGetAnotherTokenAndMessagesShowNone() throws Exception {
        String[] token = {"one"};
        login = new AskedServer.BearerLogin(() -> token[0]);
        serve(asked -> {
            boolean right = asked.header("Authorization").equals("Bearer two");
            token[0] = "two";
            return right ? Reply.of("yes") : Reply.of(401, "not " + asked.header("Authorization"));
        });
        assertEquals("yes", ask());
        serve(asked -> Reply.of(401, "not " + asked.header("Authorization")));
        assertEquals(server.url("/a") + " answers 401: not Bearer … (it does not take the login)",
                assertThrows(AnswerRefusedException.class, this::ask).getMessage());
    }

    @Test
    void aSecretThatIsLongerThanAMessageIsHiddenAsAWhole() throws Exception {
        String secret = "k9".repeat(400);
        login = new AskedServer.BearerLogin(() -> secret);
        serve(asked -> Reply.of(401, "not " + secret + ", it has ended"));
        assertEquals(server.url("/a") + " answers 401: not …, it has ended (it does not take the login)",
                assertThrows(AnswerRefusedException.class, this::ask).getMessage());
    }

    @Test
    void aTokenServerThatBreaksOffIsAskedAgain() throws Exception {
        String token = "{\"access_token\": \"t\"}";
        byte[] whole = BreakingServer.bytes("HTTP/1.1 200 OK\r\nContent-Length: " + token.length() + "\r\n\r\n" + token);
        serve(asked -> Reply.of(asked.header("Authorization")));
        byte[] broken = Arrays.copyOf(whole, whole.length - 5);
        try (BreakingServer breaking = new BreakingServer((k, request) -> k == 0 ? broken : whole)) {
            login = new AskedServer.ClientLogin(breaking.url(), "me", () -> "secret", Map.of());
            assertEquals("Bearer t", ask());
        }
    }

    @Test
    void userAndPasswordHeadersAndParameters() throws Exception {
        serve(asked -> Reply.of(asked.header("Authorization") + " " + asked.header("X-key") + " " + asked.uri()));
        AskedServer at = new AskedServer(server.url("/a?b=c"), Map.of("Accept", "text/x"), new Secrets(Map.of("X-Key", () -> "k"),
                Map.of("appid", () -> "p/w")), new AskedServer.BasicLogin(() -> "me", () -> "pass"), null,
                new Times(10_000, 0));
        assertEquals(HttpLogin.basic("me", "pass") + " k /a?b=c&appid=p%2Fw", ask(asker(at), at.url()));
        assertEquals("text/x", server.asked.peek().header("Accept"));
        serve(asked -> Reply.of(400, "no " + asked.uri()));
        AskedServer moved = new AskedServer(server.url("/a"), Map.of(), at.secrets(), null, null, new Times(10_000, 0));
        assertEquals(server.url("/a") + " answers 400: no /a?appid=…",
                assertThrows(AnswerRefusedException.class, () -> ask(asker(moved), moved.url())).getMessage());
        URI page = asker(moved).within(URI.create(moved.url()), "/b?appid=p%2Fw&page=2", "names");
        assertEquals(server.url("/b?page=2"), page.toString());
    }

    @Test
    void aTokenIsGotUsedAndRenewedBeforeItEnds() throws Exception {
        int[] tokens = {0};
        serve(asked -> asked.uri().equals("/token")
                ? Reply.of("{\"access_token\": \"t" + ++tokens[0] + "\", \"expires_in\": 100}")
                : asked.header("Authorization").equals("Bearer t3") ? Reply.of(401, "")
                : Reply.of(asked.header("Authorization")));
        login = new AskedServer.ClientLogin(server.url("/token"), "me", () -> "s/c", Map.of("scope", "read"));
        HttpAsker asker = asker(server.server("/a", login));
        assertEquals("Bearer t1", ask(asker, server.url("/a")));
        Asked first = server.asked.peek();
        assertEquals(HttpLogin.basic("me", "s%2Fc"), first.header("Authorization"));
        assertEquals("grant_type=client_credentials&scope=read", first.body());
        host.clock().waiting().sleeper().sleep(89_999_999_999L);
        assertEquals("Bearer t1", ask(asker, server.url("/a")));
        host.clock().waiting().sleeper().sleep(1);
        assertEquals("Bearer t2", ask(asker, server.url("/a")));
        host.clock().waiting().sleeper().sleep(90_000_000_000L);
        assertEquals("Bearer t4", ask(asker, server.url("/a")));
    }

    @Test
    void aTokenServerThatRefusesIsNamed() throws Exception {
        serve(asked -> Reply.of(400, "{\"error\": \"invalid_client\"}"));
        login = new AskedServer.ClientLogin(server.url("/token"), "me", () -> "secret", Map.of());
        assertEquals("the token server " + server.url("/token") + " answers 400: invalid_client",
                assertThrows(AnswerRefusedException.class, this::ask).getMessage());
        serve(asked -> Reply.of(400, "{\"error\": \"secret\\u001b[2J\"}"));
        login = new AskedServer.ClientLogin(server.url("/token"), "me", () -> "secret", Map.of());
        assertEquals("the token server " + server.url("/token") + " answers 400: …\uFFFD[2J",
                assertThrows(AnswerRefusedException.class, this::ask).getMessage());
        serve(asked -> Reply.of("{}"));
        login = new AskedServer.ClientLogin(server.url("/token"), "me", () -> "secret", Map.of());
        assertEquals("the token server " + server.url("/token") + " gives no `access_token`",
                assertThrows(AnswerRefusedException.class, this::ask).getMessage());
    }

    @Test
    void aWrongCertificateFailsAtOnce(@TempDir Path folder) throws Exception {
        SelfSigned.in(folder);
        server = new ScriptedHttp(SelfSigned.trusting(folder), asked -> Reply.of("yes"));
        String message = assertThrows(AnswerRefusedException.class, this::ask).getMessage();
        assertTrue(message.startsWith(server.url("/a") + ": its certificate is not believed: "), message);
        AskedServer trusting = new AskedServer(server.url("/a"), Map.of(), new Secrets(Map.of(), Map.of()), null,
                new TlsFiles(null, null, folder.resolve("certificate.pem").toString()), new Times(10_000, 0));
        assertEquals("yes", ask(asker(trusting), trusting.url()));
    }

    @Test
    void anAnswerThatBreaksAtAnyByteIsAskedForAgain() throws Exception {
        byte[] whole = BreakingServer.bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789");
        try (BreakingServer breaking = new BreakingServer((k, request) -> Arrays.copyOf(whole, Math.min(k, whole.length)))) {
            AskedServer at = new AskedServer(breaking.url(), Map.of(), new Secrets(Map.of(), Map.of()), null, null,
                    new Times(10_000, 3_600_000));
            assertEquals("0123456789", ask(asker(at), at.url()));
            assertTrue(breaking.requests.size() > whole.length, breaking.requests.size() + " requests");
        }
    }

    @Test
    void whatCameOfAnAnswerThatBreaksOffIsShown() throws Exception {
        byte[] broken = BreakingServer.bytes("HTTP/1.1 400 Bad\r\nContent-Length: 100\r\n\r\nno such field");
        try (BreakingServer breaking = new BreakingServer((k, request) -> broken)) {
            AskedServer at = new AskedServer(breaking.url(), Map.of(), new Secrets(Map.of(), Map.of()), null, null,
                    new Times(10_000, 0));
            assertEquals(breaking.url() + " answers 400: no such field",
                    assertThrows(AnswerRefusedException.class, () -> ask(asker(at), at.url())).getMessage());
        }
    }

    @Test
    void aServerThatIsNotThereIsNamed() throws Exception {
        serve(asked -> Reply.of(""));
        AskedServer gone = new AskedServer(server.url("/a"), Map.of(), new Secrets(Map.of(), Map.of()), null, null,
                new Times(10_000, 0));
        server.close();
        assertEquals("cannot reach " + gone.url() + ": Connection refused; tried again for retry_for_ms=0",
                assertThrows(IOException.class, () -> ask(asker(gone), gone.url())).getMessage());
    }
}
