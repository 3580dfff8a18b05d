package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.ServerFields;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.plan.PlanningContext;
import io.despina.socket.ServerAddress;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What operators of ZeroMQ share. */
final class ZeroMqFields {
    static final String CONNECTOR = "zeromq";
    private static final String PEER = "tcp://([A-Za-z0-9.-]+|\\[[0-9a-fA-F:.]+]):[0-9]{1,5}";
    private static final Pattern PEERS = Pattern.compile(PEER + "(\\s*,\\s*" + PEER + ")*");
    /** 32 bytes in Z85. */
    private static final Pattern KEY = Pattern.compile("[0-9a-zA-Z.\\-:+=^!/*?&<>()\\[\\]{}@%$#]{40}");

    static final FieldSpec ENDPOINT = required("endpoint", TEXT, "The peer: `tcp://host:5555`, with commas between several. "
            + "With `bind` the address of this machine to listen on, such as `tcp://127.0.0.1:5555`.");
    static final FieldSpec BIND = or("bind", FLAG, "false", "true: peers connect to this socket. Without keys, everybody who "
            + "reaches the port can.");
    private static final List<FieldSpec> SHARED = List.of(
            or("high_water_mark", new FieldKind.Whole(1, 1_000_000), "1000", "How many messages ZeroMQ keeps for each peer. "
                    + "Their bytes are not known: 1 KB for each is counted as the operator's state."),
            optional("server_key", TEXT, "no keys", "The public key of the peer that is bound, 40 characters of Z85: messages "
                    + "are encrypted (CURVE), and go to no other peer."),
            optional("client_keys", new FieldKind.ListOf(TEXT, 1), "all that know this socket's public key", "With `bind`, the "
                    + "public keys of the peers that may come."),
            optional("secret_key_env", TEXT, "no keys", "The variable of the resource's environment that holds this socket's "
                    + "own secret key. With `bind` it alone makes the socket one with keys."),
            optional("secret_key_file", TEXT, "no keys", "The file on the resource's machine that holds it."));

    private ZeroMqFields() {
    }

    /** How many bytes the messages that wait for a peer may have, by a guess. */
    static long queue(Values fields) {
        return fields.whole("high_water_mark", 0) << 10;
    }

    /** The fields of an operator: its own, and what all have. */
    static List<FieldSpec> with(FieldSpec... own) {
        return Stream.of(Stream.of(ENDPOINT, BIND), Stream.of(own), SHARED.stream()).flatMap(each -> each).toList();
    }

    /** Adds what all have; false after a refusal. */
    static boolean common(PlanningContext context, Map<String, Object> settings) {
        Values fields = context.fields();
        Text endpoint = fields.text("endpoint");
        if (!PEERS.matcher(endpoint.value()).matches()
                || !Stream.of(endpoint.value().split("\\s*,\\s*")).allMatch(each -> ServerAddress.wrong(each) == null)) {
            context.refuse(endpoint.place(), Rule.BAD_NAME, "`" + endpoint.value() + "` is no endpoint",
                    "tcp://host:5555, with commas between several");
            return false;
        }
        boolean binds = fields.flag("bind");
        if (binds && endpoint.value().contains(",")) {
            context.refuse(endpoint.place(), Rule.EXCLUSIVE, "a socket is bound to one endpoint", "leave the others out");
            return false;
        }
        if (!keys(context, fields, binds, settings)) {
            return false;
        }
        settings.put("endpoint", endpoint.value().replaceAll("\\s", ""));
        settings.put("bind", binds);
        settings.put("socket", fields.string("socket", null));
        ServerFields.wholes(fields, List.of("high_water_mark", "retry_for_ms"), settings);
        return true;
    }

    private static boolean keys(PlanningContext context, Values fields, boolean binds, Map<String, Object> settings) {
        if (!ServerFields.secret(context, fields, settings, "secret_key")) {
            return false;
        }
        for (String name : List.of("server_key", "client_keys")) {
            if (fields.isWritten(name) && binds != name.equals("client_keys")) {
                context.refuse(fields.place(name), Rule.EXCLUSIVE, "`" + name + "` is for a socket with" + (binds ? "out" : "")
                        + " `bind`", "leave it out");
                return false;
            }
        }
        boolean secret = settings.containsKey("secret_key");
        String needed = binds ? "client_keys" : "server_key";
        if (fields.isWritten(needed) ? !secret : secret && !binds) {
            context.refuse(context.operator().place(), Rule.MISSING_FIELD, "keys are " + (binds ? "a secret one of its own, "
                    + "and perhaps `client_keys`" : "`server_key` and a secret one of its own"),
                    "secret_key_env or secret_key_file" + (binds ? "" : ", and server_key"));
            return false;
        }
        List<Text> keys = binds ? fields.texts("client_keys") : Stream.ofNullable(fields.text("server_key")).toList();
        for (Text key : keys) {
            if (!KEY.matcher(key.value()).matches()) {
                context.refuse(key.place(), Rule.BAD_NAME, "this is no key of CURVE", "40 characters of Z85, as "
                        + "zmq.curve_keypair() of Python makes them");
                return false;
            }
        }
        if (binds && !keys.isEmpty()) {
            settings.put("client_keys", keys.stream().map(Text::value).toList());
        }
        settings.putAll(ServerFields.texts(fields, List.of("server_key")));
        return true;
    }
}
