import Access
import Canonical
import Composition
import Console
import DaybookTestKit
import Testing

/// Sessions: sign-in, form tokens, expiry and sign-out.
struct SignInTests {
    @Test func aKeyOpensASessionAndSignOutEndsIt() async throws {
        try await TestConsole.serve { console in
            let browser = Browser(port: console.port)
            let stranger = try await browser.get("/console/transactions?status=settled")
            #expect(stranger.status == 303)
            #expect(
                stranger.fields["location"] == "/console/sign-in?back=%2Fconsole%2Ftransactions%3Fstatus%3Dsettled"
            )
            let key = try await console.key()
            let answer = try await browser.signIn(key.secret, back: "/console/transactions?status=settled")
            #expect(answer.status == 303)
            #expect(answer.fields["location"] == "/console/transactions?status=settled")
            let page = try await browser.get("/console/transactions?status=settled")
            #expect(page.status == 200)
            let session = try #require(browser.cookies["daybook_session"])
            let token = try #require(Browser.formToken(page.body))
            let left = try await browser.send("POST", "/console/sign-out", form: [("form", token)])
            #expect(left.status == 303)
            #expect(browser.cookies["daybook_session"] == nil)
            // The old cookie is worthless.
            browser.cookies = ["daybook_session": session]
            #expect(try await browser.get("/console").status == 303)
        }
    }

    @Test func cookiesStayWithinTheConsole() async throws {
        try await TestConsole.serve { console in
            let browser = Browser(port: console.port)
            let key = try await console.key()
            for answer in [try await browser.get("/console/sign-in"), try await browser.signIn(key.secret)] {
                let cookies = answer.fields["set-cookie"] ?? ""
                #expect(cookies.contains("; Path=/console; "))
                #expect(cookies.contains("; HttpOnly; SameSite=Strict"))
                #expect(!cookies.contains("Secure"))
            }
            let far = try await browser.send("GET", "/console/sign-in", fields: ["Host": "ledger.example"])
            browser.cookies = [:]
            let plain = try await browser.send("GET", "/console/sign-in", fields: ["Host": "ledger.example:8080"])
            for answer in [far, plain] where answer.status == 200 {
                #expect(answer.fields["set-cookie"]?.hasSuffix("SameSite=Strict; Secure") == true)
            }
            #expect(plain.status == 200)
        }
        var options = ConsoleOptions()
        options.requiresTLS = true
        try await TestConsole.serve(options: options) { console in
            let answer = try await Browser(port: console.port).get("/console/sign-in")
            #expect(answer.fields["set-cookie"]?.contains("; Secure") == true)
        }
    }

    @Test func aBadKeyOpensNothing() async throws {
        try await TestConsole.serve { console in
            for key in ["", "dbk_live_x", "dbk_test_000000000000000000000000000000000000", "<script>alert(1)</script>"]
            {
                let browser = Browser(port: console.port)
                let answer = try await browser.signIn(key)
                #expect(answer.status == 403, "\(key)")
                #expect(answer.body.contains("unknown, expired or revoked"), "\(key)")
                #expect(key.isEmpty || !answer.body.contains(key), "\(key)")
                #expect(browser.cookies["daybook_session"] == nil, "\(key)")
            }
        }
    }

    @Test func aFormFromElsewhereIsRefused() async throws {
        try await TestConsole.serve { console in
            let key = try await console.key()
            // The sign-in form: no cookie, another browser's token, no token.
            let browser = Browser(port: console.port)
            let token = try #require(Browser.formToken(try await browser.get("/console/sign-in").body))
            let other = Browser(port: console.port)
            let strange = try await other.send(
                "POST",
                "/console/sign-in",
                form: [("form", token), ("key", key.secret)]
            )
            #expect(strange.status == 403)
            let bare = try await browser.send("POST", "/console/sign-in", form: [("key", key.secret)])
            #expect(bare.status == 403)
            #expect(other.cookies["daybook_session"] == nil && browser.cookies["daybook_session"] == nil)
            // Forms within a session.
            let visitor = try await console.visitor()
            for path in ["/console/sign-out", "/console/zone"] {
                for form in [[("zone", "UTC")], [("zone", "UTC"), ("form", "")], [("zone", "UTC"), ("form", token)]] {
                    let answer = try await visitor.send("POST", path, form: form)
                    #expect(answer.status == 403, "\(path) \(form)")
                    #expect(answer.body.contains("form-not-trusted"))
                }
            }
            #expect(try await visitor.get("/console").status == 200)
            // Another media type is refused.
            let json = try await visitor.send(
                "POST",
                "/console/sign-out",
                fields: ["Content-Type": "application/json", "Content-Length": "0"]
            )
            #expect(json.status == 415)
        }
    }

    @Test func aSessionEndsWithItsKey() async throws {
        try await TestConsole.serve { console in
            let browser = Browser(port: console.port)
            let key = try await console.key()
            _ = try await browser.signIn(key.secret)
            #expect(try await browser.get("/console").status == 200)
            #expect(try await console.ledger.keys.revoke(key.id))
            #expect(try await browser.get("/console").status == 303)
            #expect(try await browser.get("/console/live").status == 401)
        }
    }

    @Test func aSessionEndsWhenItsTimeIsOver() async throws {
        let start = try #require(Timestamp(rfc3339: "2026-01-02T08:00:00Z"))
        let clock = ManualClock(at: start)
        try await TestConsole.serve(clock: clock) { console in
            let visitor = try await console.visitor()
            let minute: Int64 = 60_000_000
            // The session is used every 29 minutes until it ends after twelve hours.
            for step in 1...24 {
                clock.set(start.adding(microseconds: Int64(step) * 29 * minute))
                #expect(try await visitor.get("/console").status == 200, "after \(step * 29) minutes")
            }
            clock.set(start.adding(microseconds: 719 * minute))
            #expect(try await visitor.get("/console").status == 200)
            clock.set(start.adding(microseconds: 720 * minute))
            #expect(try await visitor.get("/console").status == 303)

            let idle = try await console.visitor()
            clock.set(start.adding(microseconds: 749 * minute))
            #expect(try await idle.get("/console").status == 200)
            clock.set(start.adding(microseconds: 779 * minute))
            #expect(try await idle.get("/console").status == 303)

            let expiring = Browser(port: console.port)
            let key = try await console.key(expiresAt: start.adding(microseconds: 790 * minute))
            _ = try await expiring.signIn(key.secret)
            #expect(try await expiring.get("/console").status == 200)
            clock.set(start.adding(microseconds: 790 * minute))
            #expect(try await expiring.get("/console").status == 303)
        }
    }

    @Test func aKeyMaySeeWhatItsScopesAllow() async throws {
        try await TestConsole.serve { console in
            let intake = try await console.visitor([.documents, .events, .evidence])
            for path in [
                "/console", "/console/transactions", "/console/events", "/console/system", "/console/search?q=1",
            ] {
                let answer = try await intake.get(path)
                #expect(answer.status == 403, "\(path)")
                #expect(answer.body.contains("Your key may not see this"))
                #expect(answer.body.contains("Sign out"))
            }
            let auditor = try await console.visitor([.audit])
            #expect(try await auditor.get("/console/events").status == 200)
            #expect(try await auditor.get("/console/transactions").status == 403)
        }
    }

    @Test func signInRedirectsOnlyWithinTheConsole() async throws {
        try await TestConsole.serve { console in
            let key = try await console.key()
            for back in [
                "https://elsewhere.example/", "//elsewhere.example", "/console/../v1/events", "/consolex",
                "/console\\@x", "",
            ] {
                let answer = try await Browser(port: console.port).signIn(key.secret, back: back)
                let location = try #require(answer.fields["location"], "\(back)")
                #expect(location == "/console" || location == back && back.hasPrefix("/console/"), "\(back)")
            }
        }
    }

    @Test func storedSessionsOpenNothing() async throws {
        try await TestConsole.serve { console in
            let visitor = try await console.visitor()
            let secret = try #require(visitor.cookies["daybook_session"])
            let stored = try await TestDatabase.psql(
                "SELECT encode(token_hash, 'hex') || key_id FROM access.sessions",
                at: console.url
            )
            #expect(!stored.isEmpty && !stored.contains(secret))
            visitor.cookies["daybook_session"] = String(stored.prefix(64))
            #expect(try await visitor.get("/console").status == 303)
            #expect(!console.log.lines.contains { $0.contains(secret) || $0.contains("dbk_test_") })
        }
    }
}
