/** {@code opcua_source}: nodes of an OPC UA server, over Eclipse Milo's client. */
package io.despina.opcua;
