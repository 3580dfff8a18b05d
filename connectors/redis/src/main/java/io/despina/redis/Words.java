package io.despina.redis;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LoginException;
import io.despina.connect.LostException;
import io.despina.connect.RefusedException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import redis.clients.jedis.exceptions.JedisDataException;

/** What goes wrong, in words. */
final class Words {
    /** The beginnings of refusals that pass: memory, a server that starts, or one that is not the primary any more. */
    private static final List<String> PASSING = List.of("OOM", "LOADING", "READONLY", "MASTERDOWN", "NOREPLICAS", "MISCONF",
            "BUSY", "TRYAGAIN", "CLUSTERDOWN", "FAILOVER", "ERR max number of clients reached");
    private static final List<String> OF_ROW = List.of("WRONGTYPE", "ERR Elements are too large", "ERR The stream has exhausted");
    /** What a server before 7.0 puts before the error of a command in a script. */
    private static final Pattern PLACE = Pattern.compile("@\\S+: \\d+: -");
    private static final List<String> LOGIN = List.of("NOAUTH", "WRONGPASS", "ERR AUTH", "ERR invalid password");

    private Words() {
    }

    /** A connection that was not made. */
    static IOException unconnected(ConnectorSettings settings, Exception why, long millis) {
        String server = "`server` " + settings.text("server");
        for (Throwable cause = why; cause != null; cause = cause.getCause()) {
            if (cause instanceof JedisDataException told) {
                return refused(settings, told);
            }
            if (cause instanceof UnknownHostException) {
                return new IOException("the host of " + server + " is not known", why);
            }
            if (cause instanceof SSLException) {
                return new IOException("no TLS with " + server + ": " + cause.getMessage() + ". `tls` names the authorities that "
                        + "are believed, and the server's certificate must name its host", why);
            }
        }
        return new IOException(server + " cannot be reached within " + millis + " ms: " + deepest(why), why);
    }

    private static String deepest(Throwable why) {
        return why.getCause() == null ? why.getMessage() : deepest(why.getCause());
    }

    /** Whether it passes without anybody doing something here. */
    static boolean passes(JedisDataException why) {
        return PASSING.stream().anyMatch(told(why)::startsWith);
    }

    /** Whether an entry or its key is at fault, and not the server or who asks. */
    static boolean isOfRow(JedisDataException why) {
        return OF_ROW.stream().anyMatch(told(why)::startsWith);
    }

    private static String told(JedisDataException why) {
        String told = String.valueOf(why.getMessage());
        Matcher place = PLACE.matcher(told);
        return place.lookingAt() ? told.substring(place.end()) : told;
    }

    /** A command that the server has refused. */
    static IOException refused(ConnectorSettings settings, JedisDataException why) {
        String server = "`server` " + settings.text("server");
        String told = told(why);
        if (LOGIN.stream().anyMatch(told::startsWith)) {
            return new LoginException(server + " refuses the login: " + (settings.has("password")
                    ? "look at `user` and the password" : "it wants a password, and maybe a `user`"), why);
        }
        return passes(why) ? new LostException(server + ": " + told, why)
                : new RefusedException(server + " does not do it: " + told, why);
    }
}
