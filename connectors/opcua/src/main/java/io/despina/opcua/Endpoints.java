package io.despina.opcua;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.RefusedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.milo.opcua.stack.core.Stack;
import org.eclipse.milo.opcua.stack.core.security.SecurityPolicy;
import org.eclipse.milo.opcua.stack.core.types.enumerated.MessageSecurityMode;
import org.eclipse.milo.opcua.stack.core.types.enumerated.UserTokenType;
import org.eclipse.milo.opcua.stack.core.types.structured.EndpointDescription;
import org.eclipse.milo.opcua.stack.core.types.structured.UserTokenPolicy;

/** Which of a server's endpoints is the one that the graph wants. */
final class Endpoints {
    private static final Map<String, SecurityPolicy> POLICIES = Map.of("none", SecurityPolicy.None,
            "basic256sha256", SecurityPolicy.Basic256Sha256, "aes128_sha256_rsaoaep", SecurityPolicy.Aes128_Sha256_RsaOaep);
    private static final Map<String, MessageSecurityMode> MODES = Map.of("sign", MessageSecurityMode.Sign,
            "sign_and_encrypt", MessageSecurityMode.SignAndEncrypt);

    private Endpoints() {
    }

    static SecurityPolicy policy(ConnectorSettings settings) {
        return POLICIES.get(settings.text("security"));
    }

    /** @throws RefusedException if there is none; the message names the field and what there is */
    static EndpointDescription choose(ConnectorSettings settings, List<EndpointDescription> all) throws RefusedException {
        SecurityPolicy policy = policy(settings);
        MessageSecurityMode mode = policy == SecurityPolicy.None ? MessageSecurityMode.None
                : MODES.get(settings.text("security_mode"));
        List<EndpointDescription> fitting = all.stream().filter(each -> policy.getUri().equals(each.getSecurityPolicyUri())
                && each.getSecurityMode() == mode && Stack.TCP_UASC_UABINARY_TRANSPORT_URI.equals(each.getTransportProfileUri()))
                .toList();
        if (fitting.isEmpty()) {
            throw new RefusedException("`server` " + settings.text("server") + " has no endpoint with `security` "
                    + settings.text("security") + (mode == MessageSecurityMode.None ? "" : " and `security_mode` "
                    + settings.text("security_mode")) + ": it has " + words(all), null);
        }
        UserTokenType login = settings.has("user") ? UserTokenType.UserName : UserTokenType.Anonymous;
        return fitting.stream().filter(each -> logins(each).anyMatch(token -> token.getTokenType() == login)).findFirst()
                .orElseThrow(() -> new RefusedException("`server` " + settings.text("server") + (login == UserTokenType.UserName
                        ? " takes no `user` with that `security`" : " wants a `user` and a password"), null));
    }

    private static String words(List<EndpointDescription> all) {
        List<String> known = new ArrayList<>();
        for (EndpointDescription each : all) {
            String uri = String.valueOf(each.getSecurityPolicyUri());
            String policy = POLICIES.entrySet().stream().filter(entry -> entry.getValue().getUri().equals(uri))
                    .map(Map.Entry::getKey).findFirst().orElse(uri.substring(uri.indexOf('#') + 1));
            String mode = MODES.entrySet().stream().filter(entry -> entry.getValue() == each.getSecurityMode())
                    .map(Map.Entry::getKey).findFirst().orElse("");
            known.add((policy + " " + mode).strip());
        }
        return known.stream().distinct().sorted().collect(Collectors.joining(", "));
    }

    private static Stream<UserTokenPolicy> logins(EndpointDescription endpoint) {
        return endpoint.getUserIdentityTokens() == null ? Stream.of() : Arrays.stream(endpoint.getUserIdentityTokens());
    }

    /** The policy by which a password is sent: one that encrypts it, if there is one. @param all of user and password */
    static UserTokenPolicy login(List<UserTokenPolicy> all) {
        return all.stream().filter(each -> isSecret(each.getSecurityPolicyUri())).findFirst().orElse(all.get(0));
    }

    private static boolean isSecret(String uri) {
        return uri != null && !uri.isEmpty() && !uri.equals(SecurityPolicy.None.getUri());
    }

    /** Whether a password travels in the clear. */
    static boolean isOpen(EndpointDescription endpoint) {
        String own = login(logins(endpoint).filter(each -> each.getTokenType() == UserTokenType.UserName).toList())
                .getSecurityPolicyUri();
        return !isSecret(own == null || own.isEmpty() ? endpoint.getSecurityPolicyUri() : own);
    }
}
