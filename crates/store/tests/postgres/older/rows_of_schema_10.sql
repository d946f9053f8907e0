INSERT INTO epitome.artifacts OVERRIDING SYSTEM VALUE VALUES
	('alpha', 1, 'art_6275985647a471a8', '\x6275985647a471a8783f1b8f13312db5686cbb7e29c01e00dd7231e80265787f', 180019, 'text/plain', NULL, 72005, 'text: 9,001 lines, 180,019 bytes
line 1: needle-in-artifact
line 2: log line 0123456789
line 3: log line 0123456789
line 4: log line 0123456789
line 5: log line 0123456789
line 6: log line 0123456789
line 7: log line 0123456789
line 8: log line 0123456789
line 8999: log line 0123456789
line 9000: log line 0123456789
line 9001: log line 0123456789', 1794972329751, '\x28b52ffda033bf020084010064026e6565646c652d696e2d61727469666163740a6c6f67206c696e6520303132333435363738390100befebf7c3e014d0000083401002f3f1d0801');
INSERT INTO epitome.conversations OVERRIDING SYSTEM VALUE VALUES
	('alpha', 1, 'conv_db27ef475fd7a5e2', 'claude-code:s-1', 'proj_575327ed61beb258', 24, 528, '\xe5d07df07defffc31e99c867f958025d6efe8d2c482063f87d26789477dc7ac3', 1794972329402),
	('alpha', 2, 'conv_467c05311e724edc', 'zoo', 'proj_575327ed61beb258', 12, 132, '\x09cb2085ef9b6950f4ad9d791fc9f809658fc6dbd23c98110de9704eda3d7ed1', 1794972329559),
	('alpha', 3, 'conv_8e83edd496219333', 'big', 'proj_575327ed61beb258', 1, 622, '\xbba49fd2602e39bfa950913a50e44e059f5c23ef2ced230a6e147b134a034b8f', 1794972329751),
	('beta', 4, 'conv_db27ef475fd7a5e2', 'claude-code:s-1', 'proj_575327ed61beb258', 24, 528, '\xe5d07df07defffc31e99c867f958025d6efe8d2c482063f87d26789477dc7ac3', 1794972329948),
	('beta', 5, 'conv_467c05311e724edc', 'zoo', 'proj_575327ed61beb258', 12, 132, '\x09cb2085ef9b6950f4ad9d791fc9f809658fc6dbd23c98110de9704eda3d7ed1', 1794972330129);
INSERT INTO epitome.contexts VALUES
	('alpha', 1, 1, 1, NULL, 24, 23, 8);
INSERT INTO epitome.summaries VALUES
	('alpha', 1, 'sum_82e8192feedffd09', 1, 1, 20, 0, 'Asked: Question 1: we decided to use integer cents for the discount1 table, never floats.
Result: Answer 2: cart2 keeps cents; retries back off.
… 8 more turns
Asked: Question 19: we decided to use integer cents for the discount19 table, never floats.
Result: Answer 20: cart20 keeps cents; retries back off.
Expand for details about: answer, question.', 87, 440, '2026-03-01T10:01:00.000Z', '2026-03-03T10:20:00.000Z', 'extractive', NULL, NULL, 'manual', 2, 10, NULL, 1794972344387);
INSERT INTO epitome.context_items VALUES
	('alpha', 1, 1, 1);
INSERT INTO epitome.conversation_facts VALUES
	('alpha', 'fact_7088248bdecbae6d', 1, 'decision', 'Question 1: we decided to use integer cents for the discount1 table, never floats.', 'stated', NULL, NULL, NULL, 1, 1, 1, 'msg_0517af655b8103c1'),
	('alpha', 'fact_cdf4549691a0c759', 1, 'decision', 'Question 3: we decided to use integer cents for the discount3 table, never floats.', 'stated', NULL, NULL, NULL, 1, 3, 3, 'msg_e785e550c2b84d85'),
	('alpha', 'fact_4f8fd04d492e4dbb', 1, 'decision', 'Question 5: we decided to use integer cents for the discount5 table, never floats.', 'stated', NULL, NULL, NULL, 1, 5, 5, 'msg_ab896f0640f7b02e'),
	('alpha', 'fact_3a06992e1cec2340', 1, 'decision', 'Question 7: we decided to use integer cents for the discount7 table, never floats.', 'stated', NULL, NULL, NULL, 1, 7, 7, 'msg_97c00c47d57b1c19'),
	('alpha', 'fact_6b7bb9f5f604653c', 1, 'decision', 'Question 9: we decided to use integer cents for the discount9 table, never floats.', 'stated', NULL, NULL, NULL, 1, 9, 9, 'msg_fe83e57861f9874b'),
	('alpha', 'fact_ea18905d1b0cd177', 1, 'decision', 'Question 11: we decided to use integer cents for the discount11 table, never floats.', 'stated', NULL, NULL, NULL, 1, 11, 11, 'msg_004ea93248f15ffb'),
	('alpha', 'fact_5c7d1d901fe4b3e4', 1, 'decision', 'Question 13: we decided to use integer cents for the discount13 table, never floats.', 'stated', NULL, NULL, NULL, 1, 13, 13, 'msg_1beb5da0e4cec19d'),
	('alpha', 'fact_e335384f1e70479d', 1, 'decision', 'Question 15: we decided to use integer cents for the discount15 table, never floats.', 'stated', NULL, NULL, NULL, 1, 15, 15, 'msg_7ddd01feafb97e02'),
	('alpha', 'fact_c3e1f96cece4f004', 1, 'decision', 'Question 17: we decided to use integer cents for the discount17 table, never floats.', 'stated', NULL, NULL, NULL, 1, 17, 17, 'msg_830f329953ffd289'),
	('alpha', 'fact_7f5cbf1fc08c49a1', 1, 'decision', 'Question 19: we decided to use integer cents for the discount19 table, never floats.', 'stated', NULL, NULL, NULL, 1, 19, 19, 'msg_8ff49a47cfc1fec0'),
	('alpha', 'fact_9b730bbb4c15bbce', 1, 'decision', 'Question 21: we decided to use integer cents for the discount21 table, never floats.', 'stated', NULL, NULL, NULL, 1, 21, 21, 'msg_3576b9c52cfd65f9'),
	('alpha', 'fact_17291b7cdd623117', 1, 'decision', 'Question 23: we decided to use integer cents for the discount23 table, never floats.', 'stated', NULL, NULL, NULL, 1, 23, 23, 'msg_8f904734ea58c2dd');
INSERT INTO epitome.frames OVERRIDING SYSTEM VALUE VALUES
	('alpha', 1, '\xe90f4164a6e4f38c7282248cbf1c2fb47e1dac34316981f2e6586c04b8cb16b5', '\xe90f4164a6e4f38c7282248cbf1c2fb47e1dac34316981f2e6586c04b8cb16b5', 7483, 7483, NULL, '\x28b52ffd603b1cbd1600b6dd5424206f9c0393bddada0fae4f8d03f23d97230908b4409545e3a3b50cd58420380030015e0151004e005400eb1289c555098a9217d98109b803142d6011dc8376358a26179d422651c998a0ee0430519e1e685a80308d56211815669c9e44d348cbc7b15c7d5ecbe8a6d7163a50e9309405649234ad4a47a9c422aa8bcb264a60237b1124a14ea84b8646102ca69fd4484cf820b9d1694ba8111a1d94ba53be988f3e50d32795221da77b505c9d12a2d3e85e8b1e5417116c572586b596c05a8e97b3ace015a0ac00e6010e878361188669308d46a3b12ccbb2288ba2288ac364a2e26acc170159734c925e531793c441916506127351e94e0fd17bc998280108e4a544631049b01255897c84aca5f3844ab1ae40a553a1b1e18f8ec58536ff7fe5ffaffcff7fe5ffaffcff7fc5b77ddbb67ddbf66ddbf66ddbb76ddbb76ddfb66ddfb6efe5e5e53f961f8fc7a3699aa671348e80c7a891b82423495254a90c630023111121850712a08218c720108230040a828108c12704080144118650d01deae062be3f61bd27843a81fc54dc9e67f713967f465053c81ed5cd737ed7c007d5ee1e84e860144dc0c1f8063b68303983b93158bae07cfe000b5615ec4fc108130cf104241847b01304133f30db81e506cece4f60606581fd0a8c91c0204e0181b10376183075013313b01ce0fcec01015603d81d8011ff8ba209fc17ef5f07fe25ef2fb7fe4af99bcf1f00feaabc5ffaed57a95f92a8058e4dfcc0bb343f460219461e13a8020575cca6346660c6bcabc2529f3ce20bd8aa7b1251f99d4e7703db56bde6e24f82f1e5e65c4393817d55dba94f02f1fde67e4393a17d55caa96f02f17739ac0e7999c0673d698d31c5f7aefeff8c2c9d5b794c1523b0473dab20aebefef14407213132067d195b5aade5caff612cb9540709fd9e3e41af027b13057a7f6d8c54864f5552d132f70c5724d8d11f7b4f076302e25ea742eadc752f797b587152ccf1d1e673da63d4f544b597990a'),
	('beta', 2, '\xe90f4164a6e4f38c7282248cbf1c2fb47e1dac34316981f2e6586c04b8cb16b5', '\xe90f4164a6e4f38c7282248cbf1c2fb47e1dac34316981f2e6586c04b8cb16b5', 7483, 7483, NULL, '\x28b52ffd603b1cbd1600b6dd5424206f9c0393bddada0fae4f8d03f23d97230908b4409545e3a3b50cd58420380030015e0151004e005400eb1289c555098a9217d98109b803142d6011dc8376358a26179d422651c998a0ee0430519e1e685a80308d56211815669c9e44d348cbc7b15c7d5ecbe8a6d7163a50e9309405649234ad4a47a9c422aa8bcb264a60237b1124a14ea84b8646102ca69fd4484cf820b9d1694ba8111a1d94ba53be988f3e50d32795221da77b505c9d12a2d3e85e8b1e5417116c572586b596c05a8e97b3ace015a0ac00e6010e878361188669308d46a3b12ccbb2288ba2288ac364a2e26acc170159734c925e531793c441916506127351e94e0fd17bc998280108e4a544631049b01255897c84aca5f3844ab1ae40a553a1b1e18f8ec58536ff7fe5ffaffcff7fe5ffaffcff7fc5b77ddbb67ddbf66ddbf66ddbb76ddbb76ddfb66ddfb6efe5e5e53f961f8fc7a3699aa671348e80c7a891b82423495254a90c630023111121850712a08218c720108230040a828108c12704080144118650d01deae062be3f61bd27843a81fc54dc9e67f713967f465053c81ed5cd737ed7c007d5ee1e84e860144dc0c1f8063b68303983b93158bae07cfe000b5615ec4fc108130cf104241847b01304133f30db81e506cece4f60606581fd0a8c91c0204e0181b10376183075013313b01ce0fcec01015603d81d8011ff8ba209fc17ef5f07fe25ef2fb7fe4af99bcf1f00feaabc5ffaed57a95f92a8058e4dfcc0bb343f460219461e13a8020575cca6346660c6bcabc2529f3ce20bd8aa7b1251f99d4e7703db56bde6e24f82f1e5e65c4393817d55dba94f02f1fde67e4393a17d55caa96f02f17739ac0e7999c0673d698d31c5f7aefeff8c2c9d5b794c1523b0473dab20aebefef14407213132067d195b5aade5caff612cb9540709fd9e3e41af027b13057a7f6d8c54864f5552d132f70c5724d8d11f7b4f076302e25ea742eadc752f797b587152ccf1d1e673da63d4f544b597990a');
INSERT INTO epitome.generations OVERRIDING SYSTEM VALUE VALUES
	('beta', 2, '\x41f641ca3e4ca407c2d306ccca966a2a7ed68c2d5735659b4e4f16026f9c1d8c', 'claude-code', '/tmp/oldhome/proj/t.jsonl', 1, 'first', 'lines', 65024, 10029304, 4, 's-1', NULL, '/srv/shop', NULL, NULL, 1, 25, 24, 7483, '\xbf593c4f52170c7ed2a797056ae729db17bdc29ff35a392ad474ea56cf460ef5', 1794972329948),
	('alpha', 1, '\x41f641ca3e4ca407c2d306ccca966a2a7ed68c2d5735659b4e4f16026f9c1d8c', 'claude-code', '/tmp/oldhome/proj/t.jsonl', 1, 'first', 'lines', 65024, 10029304, 1, 's-1', 'Discount codes and checkout retries', '/srv/shop', NULL, NULL, 1, 25, 24, 7483, '\xbf593c4f52170c7ed2a797056ae729db17bdc29ff35a392ad474ea56cf460ef5', 1794972329402);
INSERT INTO epitome.generation_frames VALUES
	('alpha', 1, 0, 1, 25, true),
	('beta', 2, 0, 2, 25, true);
INSERT INTO epitome.line_kinds VALUES
	('alpha', 1, '\x8b71b5ced0b0cad6f444c4a72cd5c58a8b67f3dba10f92dec299584ed529fe60', 'event', 'summary', 1),
	('alpha', 1, '\x8d0792a326e69b97a5c81cf9f36e93fdd49c2a2d999cab330eaff2579c26993d', 'message', '', 24),
	('beta', 2, '\x8b71b5ced0b0cad6f444c4a72cd5c58a8b67f3dba10f92dec299584ed529fe60', 'event', 'summary', 1),
	('beta', 2, '\x8d0792a326e69b97a5c81cf9f36e93fdd49c2a2d999cab330eaff2579c26993d', 'message', '', 24);
INSERT INTO epitome.messages VALUES
	('alpha', 1, 'msg_0517af655b8103c1', 1, 1, 'u1', '\xbea34084e86e96fe8ee15b0db74d94edbae85ab7766f5eea6d0c5d4993b01af7', 'user', NULL, 's-1', '2026-03-01T10:01:00.000Z', 1772359260000, 'Question 1: we decided to use integer cents for the discount1 table, never floats.', 19, '\xe1e5df8e60cced0f140f5afe86135be5bb90e1c579a161a704b846da1c3e9371', '\x9724ac6cfc5789dfe041d7327b8058d90b6c919d915965177d4557be32618c4e', 1794972329402),
	('alpha', 2, 'msg_c77668037b1c4c2f', 1, 2, 'u2', '\x19180a3bf5d1dfd0f95e396d4f473460434ed348d52cc587705b850beb485a6e', 'assistant', NULL, 's-1', '2026-03-01T10:02:00.000Z', 1772359320000, 'Answer 2: cart2 keeps cents; retries back off.
Bash
{"command": "cargo test cart2"}', 25, '\xc3b65605986515c8127a20b5c36776b64577f52288600dfac75b26ed08b0f3ba', '\xbf4e31a35617ae059a11227a86e8b5a58d7fd102ad5594b861a7093ab02eef0e', 1794972329402),
	('alpha', 3, 'msg_e785e550c2b84d85', 1, 3, 'u3', '\x40b0ac363db3a8f3fbd89c664ac6be0174e95395ef078967675c91ee5f7791de', 'user', NULL, 's-1', '2026-03-01T10:03:00.000Z', 1772359380000, 'Question 3: we decided to use integer cents for the discount3 table, never floats.', 19, '\xd184f2774d18342fa34fa8049b1057d1643944cb4d340b8f793fc351f6643eab', '\x9c8912d38291634a42ea04838ade49fc5c3ad0a084b3bce68782d78adfeb8d9b', 1794972329402),
	('alpha', 4, 'msg_e56c81e2726a81cc', 1, 4, 'u4', '\x28d64dc6069da929b6beffdb1d92525c249c252e57ebd482a1a7e3c2b0bbebab', 'assistant', NULL, 's-1', '2026-03-01T10:04:00.000Z', 1772359440000, 'Answer 4: cart4 keeps cents; retries back off.
Bash
{"command": "cargo test cart4"}', 25, '\xd71c722d7451b541ca2a3ff99f23687a35f72bc533a962222bfbde4011d0aec1', '\x31859eed8dd4e32dd784d65883ec4588674509d2214e43342652b12e57e5d441', 1794972329402),
	('alpha', 5, 'msg_ab896f0640f7b02e', 1, 5, 'u5', '\x2b8bca9d0d8f97e24f06197011d58988aa6d69f2896d8a584c067948e0a8e1b4', 'user', NULL, 's-1', '2026-03-01T10:05:00.000Z', 1772359500000, 'Question 5: we decided to use integer cents for the discount5 table, never floats.', 19, '\x55f9c07c8f50216f6937d625b2526900b7973b94d5037802f38021682e431b1b', '\xa439ee3b2be2c7772b04ef7af10342c684dfe5501f391fd9dfe21b116789eec9', 1794972329402),
	('alpha', 6, 'msg_a88e569ef5998254', 1, 6, 'u6', '\x12251efed039789a625f5925c6f44e4aaea7fb40c9936cd4e0cf404a50df8818', 'assistant', NULL, 's-1', '2026-03-01T10:06:00.000Z', 1772359560000, 'Answer 6: cart6 keeps cents; retries back off.
Bash
{"command": "cargo test cart6"}', 25, '\xd3943795c88207d1bcbdab62c4535c2061b455df6170f69ae93f890337ed54f5', '\x4c699b16b2aeee34d918b0b4455f901a585105aa44eeb21ea097aaf7cad88022', 1794972329402),
	('alpha', 7, 'msg_97c00c47d57b1c19', 1, 7, 'u7', '\x6606c1ddec9de57816edf5ff968992749728d34cb513f91bec955f8cad996fb4', 'user', NULL, 's-1', '2026-03-01T10:07:00.000Z', 1772359620000, 'Question 7: we decided to use integer cents for the discount7 table, never floats.', 19, '\x4bd6cb800b23aaaeceb14aceb6bce1446790fcf8d71cd2d83a9a1547f4a1ef13', '\xc7e1957ad4a5224445953cf9e382b6e23692119089045675dd17d8f8b3075bdd', 1794972329402),
	('alpha', 8, 'msg_64ea7cf707f2b532', 1, 8, 'u8', '\xcf7de28f3b2eca0894adbc3a0df4d3cfa91df0675c557aec553b05cdefed25fc', 'assistant', NULL, 's-1', '2026-03-01T10:08:00.000Z', 1772359680000, 'Answer 8: cart8 keeps cents; retries back off.
Bash
{"command": "cargo test cart8"}', 25, '\xb5c4fcf262bd3ab65cf30ea8366e69740400016a2f8ffe8a072e6ea7818f6c92', '\x8825c1d8d3b0fa541d26511caa3c6f266d5ff96551c97a111776b82fa430e565', 1794972329402),
	('alpha', 9, 'msg_fe83e57861f9874b', 1, 9, 'u9', '\x4bd0703bf9be4ab7d28a079e95563b791a532aa6572a6e5c2663f96179ec1ac3', 'user', NULL, 's-1', '2026-03-01T10:09:00.000Z', 1772359740000, 'Question 9: we decided to use integer cents for the discount9 table, never floats.', 19, '\x425c011585f1623567dcf640406836efbf06971ecbcd9a77f3409d06453ae8a8', '\xc50f741423700ccf798799a82360b6e8c4b96e11c0f1d4c6d22e67424f74a957', 1794972329402),
	('alpha', 10, 'msg_d4196ee4da9984f8', 1, 10, 'u10', '\x5e452a80a9c2628577edbafa2e27cc70dbc098eadd0380e1787dca51af410e4e', 'assistant', NULL, 's-1', '2026-03-02T10:10:00.000Z', 1772446200000, 'Answer 10: cart10 keeps cents; retries back off.
Bash
{"command": "cargo test cart10"}', 25, '\x0079d73ff57d13b71c1db88646de9f1a02adef0d90719bc179350f0f70ba5d4f', '\xf57dc8cfe57ebf84bb3b255da2ed60c061894a4d6d82bcd3fbe50fbb3c489767', 1794972329402),
	('alpha', 11, 'msg_004ea93248f15ffb', 1, 11, 'u11', '\x780c2c47cf48ce00e8224ce774fff624ed9b18fed361109cc9b51d996f4c7851', 'user', NULL, 's-1', '2026-03-02T10:11:00.000Z', 1772446260000, 'Question 11: we decided to use integer cents for the discount11 table, never floats.', 19, '\x5b886a5af2ef526ee2f8309715bdb650a4bb0c56ec318eb8e8e62ccb88bd782d', '\xee9cae577d28232169975005250b28b3a1e6b8519626bf5b688e295ed53f76e2', 1794972329402),
	('alpha', 12, 'msg_6b83d98f5910fd19', 1, 12, 'u12', '\x4c0682709e3aca16fb12acf5dd657d206c59f7fbdcb8831d9c4b770ea732d6c3', 'assistant', NULL, 's-1', '2026-03-02T10:12:00.000Z', 1772446320000, 'Answer 12: cart12 keeps cents; retries back off.
Bash
{"command": "cargo test cart12"}', 25, '\x1d41728d21d792ae2ea73509e00ae5785a535e0a2b17c322cbeba5b876e75ff1', '\x63e08c038640eec6ee26b1166ae70d413d7c1b918bf84946854fb2eba802e01d', 1794972329402),
	('alpha', 13, 'msg_1beb5da0e4cec19d', 1, 13, 'u13', '\x25068e1ce11f0a4802d490c313478a62441dca0db22d7fa9c723ec7b6372ce8b', 'user', NULL, 's-1', '2026-03-02T10:13:00.000Z', 1772446380000, 'Question 13: we decided to use integer cents for the discount13 table, never floats.', 19, '\x7f5d5167c4e0cbe0d79326f1dc24744cf2a5e68814bfe4886b404699ae9c0b6e', '\x9212d6b8747951ae10b4021b166a893254d4f23b94a5152b88095250d5309a02', 1794972329402),
	('alpha', 14, 'msg_5ca1fa8a29a6b6b0', 1, 14, 'u14', '\x036950717af737e2a63739a33acb069ad039327b99695d2ed9dad30eca1287fd', 'assistant', NULL, 's-1', '2026-03-02T10:14:00.000Z', 1772446440000, 'Answer 14: cart14 keeps cents; retries back off.
Bash
{"command": "cargo test cart14"}', 25, '\xdd29851a68b70edaf82307f9651194f3e1bce96764c4d41bcec1dd6fe32fc2ed', '\xb3938f32f450076740f62af42bce90d46f4fb3beeab9d618de0ddcc699d6e334', 1794972329402),
	('alpha', 15, 'msg_7ddd01feafb97e02', 1, 15, 'u15', '\x7e9f1daf05d7f06c89413ab07640b1026e436b1f0efb7e363ab82169967033ef', 'user', NULL, 's-1', '2026-03-02T10:15:00.000Z', 1772446500000, 'Question 15: we decided to use integer cents for the discount15 table, never floats.', 19, '\x30fcebd78155d023eb47c96c4fc44be91faa65f2d6a76a4343210f03fa7bac8d', '\x7c9db6c3ba00442d3d7af06649fab682c40877bd53bc4ceda797e23438aada58', 1794972329402),
	('alpha', 16, 'msg_0ab4c638ccbed879', 1, 16, 'u16', '\x12507bd4a505f28b6e81a9871658ce1d6d041b2a55db3da0bc0a4db943a990c6', 'assistant', NULL, 's-1', '2026-03-02T10:16:00.000Z', 1772446560000, 'Answer 16: cart16 keeps cents; retries back off.
Bash
{"command": "cargo test cart16"}', 25, '\x19ee062e57da149eca3757ca601f3548d9fec824b60d855ff4fa9e38acbf1128', '\xce4cb1a8b850513dfc44592068d3ab65de1d009f3504f2e3bd143ba735aca546', 1794972329402),
	('alpha', 17, 'msg_830f329953ffd289', 1, 17, 'u17', '\xff1fb839bb398b303a292c247d5656339636b79ef93ad81b6b421d1f74671bb7', 'user', NULL, 's-1', '2026-03-02T10:17:00.000Z', 1772446620000, 'Question 17: we decided to use integer cents for the discount17 table, never floats.', 19, '\xa0c94b88855b791c0994dbca10555948ac822ad8a842860ee7e8e3691df8dabf', '\x447f427483022ad55ac536acf3b716d4c20aaedd973e6d3f78b9fd989b8df326', 1794972329402),
	('alpha', 18, 'msg_203a7be0b5297c04', 1, 18, 'u18', '\x9c272177dca298d0d15e47b886780551c8879b99d524d1940c70d68cccf3c41f', 'assistant', NULL, 's-1', '2026-03-02T10:18:00.000Z', 1772446680000, 'Answer 18: cart18 keeps cents; retries back off.
Bash
{"command": "cargo test cart18"}', 25, '\x133c1291993735bebe548df6b2d00b08e7001b673908a79cfe825b6530cb1314', '\x976705b6ab613bb71d3e71a8ca79d4d635e10fb875777178e5f21a319df0a217', 1794972329402),
	('alpha', 19, 'msg_8ff49a47cfc1fec0', 1, 19, 'u19', '\x34b9f71b423fee2b8d3df49ac874897ded0aad56501654486726feccc2e1cad1', 'user', NULL, 's-1', '2026-03-02T10:19:00.000Z', 1772446740000, 'Question 19: we decided to use integer cents for the discount19 table, never floats.', 19, '\xaff5c841144f156a9b650f56a55923e5e7a944301101ec99ca9260cb780bf406', '\x8b0f6c16391a9ed6f400b53aaabdca957496f54df94c02ce2fd27fe8fd7977a3', 1794972329402),
	('alpha', 20, 'msg_b4892c7d9948cad2', 1, 20, 'u20', '\xeb453d6fe075030f213366e1cd20d69ea432ef96672456128171abcd0ce49c1d', 'assistant', NULL, 's-1', '2026-03-03T10:20:00.000Z', 1772533200000, 'Answer 20: cart20 keeps cents; retries back off.
Bash
{"command": "cargo test cart20"}', 25, '\x7e65c17b4dc788712692e9d04cd41704d78a70edb005af182ea609772b3864be', '\x50b1dcadb292c0369095fe37861869539ea6f36d6acd32e38a9e781fb2fbe127', 1794972329402),
	('alpha', 21, 'msg_3576b9c52cfd65f9', 1, 21, 'u21', '\x206b4225a7526a13e1fe4b72250be0e5e869724b09c2b476044712a307720f09', 'user', NULL, 's-1', '2026-03-03T10:21:00.000Z', 1772533260000, 'Question 21: we decided to use integer cents for the discount21 table, never floats.', 19, '\x0ab430a96b98a27ec09a40656181be362822ad65828123425a6cd6923b9ced8f', '\xe7b29d1ff555ab2daaab4e242c317a9ca8fb3eccf973941ecb09f98a91c68315', 1794972329402),
	('alpha', 22, 'msg_e2acff7ca5fab596', 1, 22, 'u22', '\x881837ffd03e8094fc61dcfd7de6c8d3589a2b0c93432a0601454744b219c441', 'assistant', NULL, 's-1', '2026-03-03T10:22:00.000Z', 1772533320000, 'Answer 22: cart22 keeps cents; retries back off.
Bash
{"command": "cargo test cart22"}', 25, '\x4737d657f1917ce39c53e9c949c2c908dfa9d5138e1104efcec864a7526c4144', '\xd4fd6662271e2713c139b4da8d397af25cf88559c4ff3a454c8da1afc947aa92', 1794972329402),
	('alpha', 23, 'msg_8f904734ea58c2dd', 1, 23, 'u23', '\xfc735e932e08ae632bef343880080244b422f2bf7ae2cc8f74d5027f0487a604', 'user', NULL, 's-1', '2026-03-03T10:23:00.000Z', 1772533380000, 'Question 23: we decided to use integer cents for the discount23 table, never floats.', 19, '\x450bd4061308c7ca4ace38d767031cbe3e14c7262dd5e84ebc3bd33b62fdca43', '\x0a391b0940834bf9594d71e49e5508cbaf0bb49ff04c027fa5125889cc412946', 1794972329402),
	('alpha', 24, 'msg_89fea8bff1073ca6', 1, 24, 'u24', '\x7f0ce4c3d9e5c6b1b5b4e95f4e32e996107b3b33db7fcd948d74f4aea218729e', 'assistant', NULL, 's-1', '2026-03-03T10:24:00.000Z', 1772533440000, 'Answer 24: cart24 keeps cents; retries back off.
Bash
{"command": "cargo test cart24"}', 25, '\xe29fd441db6a247c887a71b6c4912e39a008af9892d3120e63f69762e13559c8', '\xe5d07df07defffc31e99c867f958025d6efe8d2c482063f87d26789477dc7ac3', 1794972329402),
	('alpha', 25, 'msg_30b4855b9369cbe2', 2, 1, 'x1', '\xe6d4fb195bab9bdee50b39e1484e6d6dea586dc0e183b7f0f5d69b1d73559fe6', 'user', NULL, NULL, '2026-02-01T08:01:00Z', 1769932860000, 'zebra1 migrates in March, herd 1', 11, '\x7d566c1a544ce3c253cbdedfba010e6f0d0ff5701e0174f3ba6d8270d4fa9e0b', '\xcad06150d675c02afff2e1425cb4c4b027e9779606966a18caee64e5aeafa050', 1794972329559),
	('alpha', 26, 'msg_aa6f62b866f0cb6c', 2, 2, 'x2', '\x8d8891a067a0d1a62e506a280291a35682c3a339e3daf3867e8cb2767142f832', 'assistant', NULL, NULL, '2026-02-01T08:02:00Z', 1769932920000, 'zebra2 migrates in March, herd 2', 11, '\x1c2c6e29d4abb2c43b2d2b7d8f355ae79c04ea5302c6d85f4bf606f33391d1b8', '\x72c4f96d9d48feeb9e5b27175d1f5a8a8656b49ae7a74647f4d7b8c49c5152e1', 1794972329559),
	('alpha', 27, 'msg_523c1d15063b419f', 2, 3, 'x3', '\x391946f3f28fabd931255c075e9f0ef8c7fd11a655620926f96548bf465da4d9', 'user', NULL, NULL, '2026-02-01T08:03:00Z', 1769932980000, 'zebra3 migrates in March􏿿0 with NUL', 11, '\x6526fdef51e1b0091c930128c7b911578a6c8ee7836a2278de99cb69a1982152', '\xdb9368ae162d5cb1c987b58dfdc632005dcb6c46119aad696a65ea14234f0478', 1794972329559),
	('alpha', 28, 'msg_6a9b050082e7a0dd', 2, 4, 'x4', '\x07c99a410637d315dc19562fd4435b62334e2d9248579acaa5955307431c322a', 'assistant', NULL, NULL, '2026-02-01T08:04:00Z', 1769933040000, 'zebra4 migrates in March, herd 4', 11, '\x1f42d462bf95de2d8a6397106870ee7a669f5e2b1e53e112fb7a114fb6a6437e', '\xd2dc529cd8a4a9bbd02f374108b813b861be83ac487ca3a2da5b06bd66d4ba87', 1794972329559),
	('alpha', 29, 'msg_92bcc5387fb1d7bf', 2, 5, 'x5', '\x32a74bfa97b23b368efc7da25976e9520d5a7bb717a7f5212bdff4d2810ab88a', 'user', NULL, NULL, '2026-02-01T08:05:00Z', 1769933100000, 'zebra5 migrates in March, herd 5', 11, '\x2f07b037d0a902dc4deaa0a1d0e52252e62a441cb56853029e588609e72acb74', '\xa1fe2701b09e02bf2ddcf21b266412c37e4f156c7faeff35c93113ec87c1e079', 1794972329559),
	('alpha', 30, 'msg_0928f3c33d8eb6a4', 2, 6, 'x6', '\xf83ad0b406659d14918a52fd5ff0c71b2fdae92b785785886016551acf505f24', 'assistant', NULL, NULL, '2026-02-01T08:06:00Z', 1769933160000, 'zebra6 migrates in March, herd 6', 11, '\x7b54a9138e600127441e22113244391175fc22897f668a763db4a5e581ff66b3', '\x4eb8be27ebb8ef4725b03dba563a8f93c56e91e98efb61ee55d9a11910aa8f84', 1794972329559),
	('alpha', 31, 'msg_dcc1ecaa8f49d0bf', 2, 7, 'x7', '\xc3732a13134f741aa760699a14c227088699706679131e97c03acfdedd88fb31', 'user', NULL, NULL, '2026-02-01T08:07:00Z', 1769933220000, 'zebra7 migrates in March, herd 7', 11, '\x906489a8bc38db27bce2f33ddd582877415c183a907f38393d0d6aeca3bc8184', '\x5341d0eb4b9d01b42c7002730b0cbc896b4fdf164578a838f289af8b6a474fe3', 1794972329559),
	('alpha', 32, 'msg_e989c79bb2b9acdb', 2, 8, 'x8', '\x9ceac2657b720975dcf1bdd716f2d3614bced70f636a2d7e1d4381624cbb485c', 'assistant', NULL, NULL, '2026-02-01T08:08:00Z', 1769933280000, 'zebra8 migrates in March, herd 8', 11, '\xdea93bc4f0053dce549901b956197b62ea1382854296325d73037e451f950f61', '\xb8f78f0dd037789f19eed7a217ff62d18c2f86ff72fa26b460594082c0759ec1', 1794972329559),
	('alpha', 33, 'msg_98f59da8aa5ee163', 2, 9, 'x9', '\x07927c9b442b1940ba4097e7c902817c9edc5ccd446a8174920b194c061ebfea', 'user', NULL, NULL, '2026-02-01T08:09:00Z', 1769933340000, 'zebra9 migrates in March, herd 9', 11, '\x6f198a022197ea94a65781da5327f5f835c4980019ed070404558c5c83fbbc9b', '\x0ddb0c41b7c6c04975dc69a21e415cb491ba7073b4bdc67dfe9b29f9baef7be4', 1794972329559),
	('alpha', 34, 'msg_f81b5c85a30f91c2', 2, 10, 'x10', '\xe83a80cab864c2618294566a2be29b601d989abde4981b78dbc659712c918be6', 'assistant', NULL, NULL, '2026-02-01T08:10:00Z', 1769933400000, 'zebra10 migrates in March, herd 10', 11, '\x4f40f361301fa8981f8399fc52ad5bc9662e263a4625ba0aea8657ff4b1122fa', '\xab660d3ab65d61caec6d0928e922462ad222f3abb9cfe19457c845e801ed340f', 1794972329559),
	('alpha', 35, 'msg_fecbade240fed5f0', 2, 11, 'x11', '\x23c6b5c58eef277b2e4680978dc75481d641c2e1d352e4a13094032b57d95c37', 'user', NULL, NULL, '2026-02-01T08:11:00Z', 1769933460000, 'zebra11 migrates in March, herd 11', 11, '\x3f0ff3b5541668192f09a67924f6a86a4cd56955beb0e650cb41fced4ce0cd72', '\x9a0b7919fca056f031782307b4096156ef35bef7f389756baf9ec2c7d54c9baf', 1794972329559),
	('alpha', 36, 'msg_11db3e826ac28627', 2, 12, 'x12', '\x191987f7dd9caedff49db44005a0b2c34340182524206ec12a04387de5f2118b', 'assistant', NULL, NULL, '2026-02-01T08:12:00Z', 1769933520000, 'zebra12 migrates in March, herd 12', 11, '\x621c3ce7159c26ce49ac3b903ac7f045dc8fa1aec57c28ef9ecadd9d81e4accd', '\x09cb2085ef9b6950f4ad9d791fc9f809658fc6dbd23c98110de9704eda3d7ed1', 1794972329559),
	('alpha', 37, 'msg_47cd29c5567675b4', 3, 1, NULL, NULL, 'tool', NULL, NULL, NULL, NULL, 'needle-in-artifact
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
l
…art_6275985647a471a8:1000-179519 of 180019 bytes
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
log line 0123456789
', 622, '\x460c9089a2a1ffd7cef271755596f697db7af7411bbf834426e952c9d3435eae', '\xbba49fd2602e39bfa950913a50e44e059f5c23ef2ced230a6e147b134a034b8f', 1794972329751),
	('beta', 38, 'msg_0517af655b8103c1', 4, 1, 'u1', '\xbea34084e86e96fe8ee15b0db74d94edbae85ab7766f5eea6d0c5d4993b01af7', 'user', NULL, 's-1', '2026-03-01T10:01:00.000Z', 1772359260000, 'Question 1: we decided to use integer cents for the discount1 table, never floats.', 19, '\xe1e5df8e60cced0f140f5afe86135be5bb90e1c579a161a704b846da1c3e9371', '\x9724ac6cfc5789dfe041d7327b8058d90b6c919d915965177d4557be32618c4e', 1794972329948),
	('beta', 39, 'msg_c77668037b1c4c2f', 4, 2, 'u2', '\x19180a3bf5d1dfd0f95e396d4f473460434ed348d52cc587705b850beb485a6e', 'assistant', NULL, 's-1', '2026-03-01T10:02:00.000Z', 1772359320000, 'Answer 2: cart2 keeps cents; retries back off.
Bash
{"command": "cargo test cart2"}', 25, '\xc3b65605986515c8127a20b5c36776b64577f52288600dfac75b26ed08b0f3ba', '\xbf4e31a35617ae059a11227a86e8b5a58d7fd102ad5594b861a7093ab02eef0e', 1794972329948),
	('beta', 40, 'msg_e785e550c2b84d85', 4, 3, 'u3', '\x40b0ac363db3a8f3fbd89c664ac6be0174e95395ef078967675c91ee5f7791de', 'user', NULL, 's-1', '2026-03-01T10:03:00.000Z', 1772359380000, 'Question 3: we decided to use integer cents for the discount3 table, never floats.', 19, '\xd184f2774d18342fa34fa8049b1057d1643944cb4d340b8f793fc351f6643eab', '\x9c8912d38291634a42ea04838ade49fc5c3ad0a084b3bce68782d78adfeb8d9b', 1794972329948),
	('beta', 41, 'msg_e56c81e2726a81cc', 4, 4, 'u4', '\x28d64dc6069da929b6beffdb1d92525c249c252e57ebd482a1a7e3c2b0bbebab', 'assistant', NULL, 's-1', '2026-03-01T10:04:00.000Z', 1772359440000, 'Answer 4: cart4 keeps cents; retries back off.
Bash
{"command": "cargo test cart4"}', 25, '\xd71c722d7451b541ca2a3ff99f23687a35f72bc533a962222bfbde4011d0aec1', '\x31859eed8dd4e32dd784d65883ec4588674509d2214e43342652b12e57e5d441', 1794972329948),
	('beta', 42, 'msg_ab896f0640f7b02e', 4, 5, 'u5', '\x2b8bca9d0d8f97e24f06197011d58988aa6d69f2896d8a584c067948e0a8e1b4', 'user', NULL, 's-1', '2026-03-01T10:05:00.000Z', 1772359500000, 'Question 5: we decided to use integer cents for the discount5 table, never floats.', 19, '\x55f9c07c8f50216f6937d625b2526900b7973b94d5037802f38021682e431b1b', '\xa439ee3b2be2c7772b04ef7af10342c684dfe5501f391fd9dfe21b116789eec9', 1794972329948),
	('beta', 43, 'msg_a88e569ef5998254', 4, 6, 'u6', '\x12251efed039789a625f5925c6f44e4aaea7fb40c9936cd4e0cf404a50df8818', 'assistant', NULL, 's-1', '2026-03-01T10:06:00.000Z', 1772359560000, 'Answer 6: cart6 keeps cents; retries back off.
Bash
{"command": "cargo test cart6"}', 25, '\xd3943795c88207d1bcbdab62c4535c2061b455df6170f69ae93f890337ed54f5', '\x4c699b16b2aeee34d918b0b4455f901a585105aa44eeb21ea097aaf7cad88022', 1794972329948),
	('beta', 44, 'msg_97c00c47d57b1c19', 4, 7, 'u7', '\x6606c1ddec9de57816edf5ff968992749728d34cb513f91bec955f8cad996fb4', 'user', NULL, 's-1', '2026-03-01T10:07:00.000Z', 1772359620000, 'Question 7: we decided to use integer cents for the discount7 table, never floats.', 19, '\x4bd6cb800b23aaaeceb14aceb6bce1446790fcf8d71cd2d83a9a1547f4a1ef13', '\xc7e1957ad4a5224445953cf9e382b6e23692119089045675dd17d8f8b3075bdd', 1794972329948),
	('beta', 45, 'msg_64ea7cf707f2b532', 4, 8, 'u8', '\xcf7de28f3b2eca0894adbc3a0df4d3cfa91df0675c557aec553b05cdefed25fc', 'assistant', NULL, 's-1', '2026-03-01T10:08:00.000Z', 1772359680000, 'Answer 8: cart8 keeps cents; retries back off.
Bash
{"command": "cargo test cart8"}', 25, '\xb5c4fcf262bd3ab65cf30ea8366e69740400016a2f8ffe8a072e6ea7818f6c92', '\x8825c1d8d3b0fa541d26511caa3c6f266d5ff96551c97a111776b82fa430e565', 1794972329948),
	('beta', 46, 'msg_fe83e57861f9874b', 4, 9, 'u9', '\x4bd0703bf9be4ab7d28a079e95563b791a532aa6572a6e5c2663f96179ec1ac3', 'user', NULL, 's-1', '2026-03-01T10:09:00.000Z', 1772359740000, 'Question 9: we decided to use integer cents for the discount9 table, never floats.', 19, '\x425c011585f1623567dcf640406836efbf06971ecbcd9a77f3409d06453ae8a8', '\xc50f741423700ccf798799a82360b6e8c4b96e11c0f1d4c6d22e67424f74a957', 1794972329948),
	('beta', 47, 'msg_d4196ee4da9984f8', 4, 10, 'u10', '\x5e452a80a9c2628577edbafa2e27cc70dbc098eadd0380e1787dca51af410e4e', 'assistant', NULL, 's-1', '2026-03-02T10:10:00.000Z', 1772446200000, 'Answer 10: cart10 keeps cents; retries back off.
Bash
{"command": "cargo test cart10"}', 25, '\x0079d73ff57d13b71c1db88646de9f1a02adef0d90719bc179350f0f70ba5d4f', '\xf57dc8cfe57ebf84bb3b255da2ed60c061894a4d6d82bcd3fbe50fbb3c489767', 1794972329948),
	('beta', 48, 'msg_004ea93248f15ffb', 4, 11, 'u11', '\x780c2c47cf48ce00e8224ce774fff624ed9b18fed361109cc9b51d996f4c7851', 'user', NULL, 's-1', '2026-03-02T10:11:00.000Z', 1772446260000, 'Question 11: we decided to use integer cents for the discount11 table, never floats.', 19, '\x5b886a5af2ef526ee2f8309715bdb650a4bb0c56ec318eb8e8e62ccb88bd782d', '\xee9cae577d28232169975005250b28b3a1e6b8519626bf5b688e295ed53f76e2', 1794972329948),
	('beta', 49, 'msg_6b83d98f5910fd19', 4, 12, 'u12', '\x4c0682709e3aca16fb12acf5dd657d206c59f7fbdcb8831d9c4b770ea732d6c3', 'assistant', NULL, 's-1', '2026-03-02T10:12:00.000Z', 1772446320000, 'Answer 12: cart12 keeps cents; retries back off.
Bash
{"command": "cargo test cart12"}', 25, '\x1d41728d21d792ae2ea73509e00ae5785a535e0a2b17c322cbeba5b876e75ff1', '\x63e08c038640eec6ee26b1166ae70d413d7c1b918bf84946854fb2eba802e01d', 1794972329948),
	('beta', 50, 'msg_1beb5da0e4cec19d', 4, 13, 'u13', '\x25068e1ce11f0a4802d490c313478a62441dca0db22d7fa9c723ec7b6372ce8b', 'user', NULL, 's-1', '2026-03-02T10:13:00.000Z', 1772446380000, 'Question 13: we decided to use integer cents for the discount13 table, never floats.', 19, '\x7f5d5167c4e0cbe0d79326f1dc24744cf2a5e68814bfe4886b404699ae9c0b6e', '\x9212d6b8747951ae10b4021b166a893254d4f23b94a5152b88095250d5309a02', 1794972329948),
	('beta', 51, 'msg_5ca1fa8a29a6b6b0', 4, 14, 'u14', '\x036950717af737e2a63739a33acb069ad039327b99695d2ed9dad30eca1287fd', 'assistant', NULL, 's-1', '2026-03-02T10:14:00.000Z', 1772446440000, 'Answer 14: cart14 keeps cents; retries back off.
Bash
{"command": "cargo test cart14"}', 25, '\xdd29851a68b70edaf82307f9651194f3e1bce96764c4d41bcec1dd6fe32fc2ed', '\xb3938f32f450076740f62af42bce90d46f4fb3beeab9d618de0ddcc699d6e334', 1794972329948),
	('beta', 52, 'msg_7ddd01feafb97e02', 4, 15, 'u15', '\x7e9f1daf05d7f06c89413ab07640b1026e436b1f0efb7e363ab82169967033ef', 'user', NULL, 's-1', '2026-03-02T10:15:00.000Z', 1772446500000, 'Question 15: we decided to use integer cents for the discount15 table, never floats.', 19, '\x30fcebd78155d023eb47c96c4fc44be91faa65f2d6a76a4343210f03fa7bac8d', '\x7c9db6c3ba00442d3d7af06649fab682c40877bd53bc4ceda797e23438aada58', 1794972329948),
	('beta', 53, 'msg_0ab4c638ccbed879', 4, 16, 'u16', '\x12507bd4a505f28b6e81a9871658ce1d6d041b2a55db3da0bc0a4db943a990c6', 'assistant', NULL, 's-1', '2026-03-02T10:16:00.000Z', 1772446560000, 'Answer 16: cart16 keeps cents; retries back off.
Bash
{"command": "cargo test cart16"}', 25, '\x19ee062e57da149eca3757ca601f3548d9fec824b60d855ff4fa9e38acbf1128', '\xce4cb1a8b850513dfc44592068d3ab65de1d009f3504f2e3bd143ba735aca546', 1794972329948),
	('beta', 54, 'msg_830f329953ffd289', 4, 17, 'u17', '\xff1fb839bb398b303a292c247d5656339636b79ef93ad81b6b421d1f74671bb7', 'user', NULL, 's-1', '2026-03-02T10:17:00.000Z', 1772446620000, 'Question 17: we decided to use integer cents for the discount17 table, never floats.', 19, '\xa0c94b88855b791c0994dbca10555948ac822ad8a842860ee7e8e3691df8dabf', '\x447f427483022ad55ac536acf3b716d4c20aaedd973e6d3f78b9fd989b8df326', 1794972329948),
	('beta', 55, 'msg_203a7be0b5297c04', 4, 18, 'u18', '\x9c272177dca298d0d15e47b886780551c8879b99d524d1940c70d68cccf3c41f', 'assistant', NULL, 's-1', '2026-03-02T10:18:00.000Z', 1772446680000, 'Answer 18: cart18 keeps cents; retries back off.
Bash
{"command": "cargo test cart18"}', 25, '\x133c1291993735bebe548df6b2d00b08e7001b673908a79cfe825b6530cb1314', '\x976705b6ab613bb71d3e71a8ca79d4d635e10fb875777178e5f21a319df0a217', 1794972329948),
	('beta', 56, 'msg_8ff49a47cfc1fec0', 4, 19, 'u19', '\x34b9f71b423fee2b8d3df49ac874897ded0aad56501654486726feccc2e1cad1', 'user', NULL, 's-1', '2026-03-02T10:19:00.000Z', 1772446740000, 'Question 19: we decided to use integer cents for the discount19 table, never floats.', 19, '\xaff5c841144f156a9b650f56a55923e5e7a944301101ec99ca9260cb780bf406', '\x8b0f6c16391a9ed6f400b53aaabdca957496f54df94c02ce2fd27fe8fd7977a3', 1794972329948),
	('beta', 57, 'msg_b4892c7d9948cad2', 4, 20, 'u20', '\xeb453d6fe075030f213366e1cd20d69ea432ef96672456128171abcd0ce49c1d', 'assistant', NULL, 's-1', '2026-03-03T10:20:00.000Z', 1772533200000, 'Answer 20: cart20 keeps cents; retries back off.
Bash
{"command": "cargo test cart20"}', 25, '\x7e65c17b4dc788712692e9d04cd41704d78a70edb005af182ea609772b3864be', '\x50b1dcadb292c0369095fe37861869539ea6f36d6acd32e38a9e781fb2fbe127', 1794972329948),
	('beta', 58, 'msg_3576b9c52cfd65f9', 4, 21, 'u21', '\x206b4225a7526a13e1fe4b72250be0e5e869724b09c2b476044712a307720f09', 'user', NULL, 's-1', '2026-03-03T10:21:00.000Z', 1772533260000, 'Question 21: we decided to use integer cents for the discount21 table, never floats.', 19, '\x0ab430a96b98a27ec09a40656181be362822ad65828123425a6cd6923b9ced8f', '\xe7b29d1ff555ab2daaab4e242c317a9ca8fb3eccf973941ecb09f98a91c68315', 1794972329948),
	('beta', 59, 'msg_e2acff7ca5fab596', 4, 22, 'u22', '\x881837ffd03e8094fc61dcfd7de6c8d3589a2b0c93432a0601454744b219c441', 'assistant', NULL, 's-1', '2026-03-03T10:22:00.000Z', 1772533320000, 'Answer 22: cart22 keeps cents; retries back off.
Bash
{"command": "cargo test cart22"}', 25, '\x4737d657f1917ce39c53e9c949c2c908dfa9d5138e1104efcec864a7526c4144', '\xd4fd6662271e2713c139b4da8d397af25cf88559c4ff3a454c8da1afc947aa92', 1794972329948),
	('beta', 60, 'msg_8f904734ea58c2dd', 4, 23, 'u23', '\xfc735e932e08ae632bef343880080244b422f2bf7ae2cc8f74d5027f0487a604', 'user', NULL, 's-1', '2026-03-03T10:23:00.000Z', 1772533380000, 'Question 23: we decided to use integer cents for the discount23 table, never floats.', 19, '\x450bd4061308c7ca4ace38d767031cbe3e14c7262dd5e84ebc3bd33b62fdca43', '\x0a391b0940834bf9594d71e49e5508cbaf0bb49ff04c027fa5125889cc412946', 1794972329948),
	('beta', 61, 'msg_89fea8bff1073ca6', 4, 24, 'u24', '\x7f0ce4c3d9e5c6b1b5b4e95f4e32e996107b3b33db7fcd948d74f4aea218729e', 'assistant', NULL, 's-1', '2026-03-03T10:24:00.000Z', 1772533440000, 'Answer 24: cart24 keeps cents; retries back off.
Bash
{"command": "cargo test cart24"}', 25, '\xe29fd441db6a247c887a71b6c4912e39a008af9892d3120e63f69762e13559c8', '\xe5d07df07defffc31e99c867f958025d6efe8d2c482063f87d26789477dc7ac3', 1794972329948),
	('beta', 62, 'msg_30b4855b9369cbe2', 5, 1, 'x1', '\xe6d4fb195bab9bdee50b39e1484e6d6dea586dc0e183b7f0f5d69b1d73559fe6', 'user', NULL, NULL, '2026-02-01T08:01:00Z', 1769932860000, 'zebra1 migrates in March, herd 1', 11, '\x7d566c1a544ce3c253cbdedfba010e6f0d0ff5701e0174f3ba6d8270d4fa9e0b', '\xcad06150d675c02afff2e1425cb4c4b027e9779606966a18caee64e5aeafa050', 1794972330129),
	('beta', 63, 'msg_aa6f62b866f0cb6c', 5, 2, 'x2', '\x8d8891a067a0d1a62e506a280291a35682c3a339e3daf3867e8cb2767142f832', 'assistant', NULL, NULL, '2026-02-01T08:02:00Z', 1769932920000, 'zebra2 migrates in March, herd 2', 11, '\x1c2c6e29d4abb2c43b2d2b7d8f355ae79c04ea5302c6d85f4bf606f33391d1b8', '\x72c4f96d9d48feeb9e5b27175d1f5a8a8656b49ae7a74647f4d7b8c49c5152e1', 1794972330129),
	('beta', 64, 'msg_523c1d15063b419f', 5, 3, 'x3', '\x391946f3f28fabd931255c075e9f0ef8c7fd11a655620926f96548bf465da4d9', 'user', NULL, NULL, '2026-02-01T08:03:00Z', 1769932980000, 'zebra3 migrates in March􏿿0 with NUL', 11, '\x6526fdef51e1b0091c930128c7b911578a6c8ee7836a2278de99cb69a1982152', '\xdb9368ae162d5cb1c987b58dfdc632005dcb6c46119aad696a65ea14234f0478', 1794972330129),
	('beta', 65, 'msg_6a9b050082e7a0dd', 5, 4, 'x4', '\x07c99a410637d315dc19562fd4435b62334e2d9248579acaa5955307431c322a', 'assistant', NULL, NULL, '2026-02-01T08:04:00Z', 1769933040000, 'zebra4 migrates in March, herd 4', 11, '\x1f42d462bf95de2d8a6397106870ee7a669f5e2b1e53e112fb7a114fb6a6437e', '\xd2dc529cd8a4a9bbd02f374108b813b861be83ac487ca3a2da5b06bd66d4ba87', 1794972330129),
	('beta', 66, 'msg_92bcc5387fb1d7bf', 5, 5, 'x5', '\x32a74bfa97b23b368efc7da25976e9520d5a7bb717a7f5212bdff4d2810ab88a', 'user', NULL, NULL, '2026-02-01T08:05:00Z', 1769933100000, 'zebra5 migrates in March, herd 5', 11, '\x2f07b037d0a902dc4deaa0a1d0e52252e62a441cb56853029e588609e72acb74', '\xa1fe2701b09e02bf2ddcf21b266412c37e4f156c7faeff35c93113ec87c1e079', 1794972330129),
	('beta', 67, 'msg_0928f3c33d8eb6a4', 5, 6, 'x6', '\xf83ad0b406659d14918a52fd5ff0c71b2fdae92b785785886016551acf505f24', 'assistant', NULL, NULL, '2026-02-01T08:06:00Z', 1769933160000, 'zebra6 migrates in March, herd 6', 11, '\x7b54a9138e600127441e22113244391175fc22897f668a763db4a5e581ff66b3', '\x4eb8be27ebb8ef4725b03dba563a8f93c56e91e98efb61ee55d9a11910aa8f84', 1794972330129),
	('beta', 68, 'msg_dcc1ecaa8f49d0bf', 5, 7, 'x7', '\xc3732a13134f741aa760699a14c227088699706679131e97c03acfdedd88fb31', 'user', NULL, NULL, '2026-02-01T08:07:00Z', 1769933220000, 'zebra7 migrates in March, herd 7', 11, '\x906489a8bc38db27bce2f33ddd582877415c183a907f38393d0d6aeca3bc8184', '\x5341d0eb4b9d01b42c7002730b0cbc896b4fdf164578a838f289af8b6a474fe3', 1794972330129),
	('beta', 69, 'msg_e989c79bb2b9acdb', 5, 8, 'x8', '\x9ceac2657b720975dcf1bdd716f2d3614bced70f636a2d7e1d4381624cbb485c', 'assistant', NULL, NULL, '2026-02-01T08:08:00Z', 1769933280000, 'zebra8 migrates in March, herd 8', 11, '\xdea93bc4f0053dce549901b956197b62ea1382854296325d73037e451f950f61', '\xb8f78f0dd037789f19eed7a217ff62d18c2f86ff72fa26b460594082c0759ec1', 1794972330129),
	('beta', 70, 'msg_98f59da8aa5ee163', 5, 9, 'x9', '\x07927c9b442b1940ba4097e7c902817c9edc5ccd446a8174920b194c061ebfea', 'user', NULL, NULL, '2026-02-01T08:09:00Z', 1769933340000, 'zebra9 migrates in March, herd 9', 11, '\x6f198a022197ea94a65781da5327f5f835c4980019ed070404558c5c83fbbc9b', '\x0ddb0c41b7c6c04975dc69a21e415cb491ba7073b4bdc67dfe9b29f9baef7be4', 1794972330129),
	('beta', 71, 'msg_f81b5c85a30f91c2', 5, 10, 'x10', '\xe83a80cab864c2618294566a2be29b601d989abde4981b78dbc659712c918be6', 'assistant', NULL, NULL, '2026-02-01T08:10:00Z', 1769933400000, 'zebra10 migrates in March, herd 10', 11, '\x4f40f361301fa8981f8399fc52ad5bc9662e263a4625ba0aea8657ff4b1122fa', '\xab660d3ab65d61caec6d0928e922462ad222f3abb9cfe19457c845e801ed340f', 1794972330129),
	('beta', 72, 'msg_fecbade240fed5f0', 5, 11, 'x11', '\x23c6b5c58eef277b2e4680978dc75481d641c2e1d352e4a13094032b57d95c37', 'user', NULL, NULL, '2026-02-01T08:11:00Z', 1769933460000, 'zebra11 migrates in March, herd 11', 11, '\x3f0ff3b5541668192f09a67924f6a86a4cd56955beb0e650cb41fced4ce0cd72', '\x9a0b7919fca056f031782307b4096156ef35bef7f389756baf9ec2c7d54c9baf', 1794972330129),
	('beta', 73, 'msg_11db3e826ac28627', 5, 12, 'x12', '\x191987f7dd9caedff49db44005a0b2c34340182524206ec12a04387de5f2118b', 'assistant', NULL, NULL, '2026-02-01T08:12:00Z', 1769933520000, 'zebra12 migrates in March, herd 12', 11, '\x621c3ce7159c26ce49ac3b903ac7f045dc8fa1aec57c28ef9ecadd9d81e4accd', '\x09cb2085ef9b6950f4ad9d791fc9f809658fc6dbd23c98110de9704eda3d7ed1', 1794972330129);
INSERT INTO epitome.message_artifacts VALUES
	('alpha', 1, 37);
INSERT INTO epitome.message_origins VALUES
	('alpha', 1, 11, '11', 'u10', NULL, NULL),
	('alpha', 1, 1, '1', NULL, NULL, NULL),
	('alpha', 1, 16, '16', 'u15', NULL, NULL),
	('alpha', 1, 13, '13', 'u12', NULL, NULL),
	('alpha', 1, 18, '18', 'u17', NULL, NULL),
	('alpha', 1, 21, '21', 'u20', NULL, NULL),
	('alpha', 1, 14, '14', 'u13', NULL, NULL),
	('alpha', 1, 8, '8', 'u7', NULL, NULL),
	('alpha', 1, 12, '12', 'u11', NULL, NULL),
	('alpha', 1, 15, '15', 'u14', NULL, NULL),
	('alpha', 1, 17, '17', 'u16', NULL, NULL),
	('alpha', 1, 24, '24', 'u23', NULL, NULL),
	('alpha', 1, 23, '23', 'u22', NULL, NULL),
	('alpha', 1, 19, '19', 'u18', NULL, NULL),
	('alpha', 1, 7, '7', 'u6', NULL, NULL),
	('alpha', 1, 6, '6', 'u5', NULL, NULL),
	('alpha', 1, 5, '5', 'u4', NULL, NULL),
	('alpha', 1, 20, '20', 'u19', NULL, NULL),
	('alpha', 1, 2, '2', 'u1', NULL, NULL),
	('alpha', 1, 10, '10', 'u9', NULL, NULL),
	('alpha', 1, 22, '22', 'u21', NULL, NULL),
	('alpha', 1, 4, '4', 'u3', NULL, NULL),
	('alpha', 1, 3, '3', 'u2', NULL, NULL),
	('alpha', 1, 9, '9', 'u8', NULL, NULL),
	('beta', 2, 48, '11', 'u10', NULL, NULL),
	('beta', 2, 38, '1', NULL, NULL, NULL),
	('beta', 2, 53, '16', 'u15', NULL, NULL),
	('beta', 2, 50, '13', 'u12', NULL, NULL),
	('beta', 2, 55, '18', 'u17', NULL, NULL),
	('beta', 2, 58, '21', 'u20', NULL, NULL),
	('beta', 2, 51, '14', 'u13', NULL, NULL),
	('beta', 2, 45, '8', 'u7', NULL, NULL),
	('beta', 2, 49, '12', 'u11', NULL, NULL),
	('beta', 2, 52, '15', 'u14', NULL, NULL),
	('beta', 2, 54, '17', 'u16', NULL, NULL),
	('beta', 2, 61, '24', 'u23', NULL, NULL),
	('beta', 2, 60, '23', 'u22', NULL, NULL),
	('beta', 2, 56, '19', 'u18', NULL, NULL),
	('beta', 2, 44, '7', 'u6', NULL, NULL),
	('beta', 2, 43, '6', 'u5', NULL, NULL),
	('beta', 2, 42, '5', 'u4', NULL, NULL),
	('beta', 2, 57, '20', 'u19', NULL, NULL),
	('beta', 2, 39, '2', 'u1', NULL, NULL),
	('beta', 2, 47, '10', 'u9', NULL, NULL),
	('beta', 2, 59, '22', 'u21', NULL, NULL),
	('beta', 2, 41, '4', 'u3', NULL, NULL),
	('beta', 2, 40, '3', 'u2', NULL, NULL),
	('beta', 2, 46, '9', 'u8', NULL, NULL);
INSERT INTO epitome.message_parts VALUES
	('alpha', 2, 0, 'text', 'Answer 2: cart2 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 4, 0, 'text', 'Answer 4: cart4 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 6, 0, 'text', 'Answer 6: cart6 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 8, 0, 'text', 'Answer 8: cart8 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 10, 0, 'text', 'Answer 10: cart10 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 12, 0, 'text', 'Answer 12: cart12 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 14, 0, 'text', 'Answer 14: cart14 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 16, 0, 'text', 'Answer 16: cart16 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 18, 0, 'text', 'Answer 18: cart18 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 20, 0, 'text', 'Answer 20: cart20 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 22, 0, 'text', 'Answer 22: cart22 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 24, 0, 'text', 'Answer 24: cart24 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 2, 1, 'tool', NULL, 't2', 'Bash', NULL, '{"command": "cargo test cart2"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 4, 1, 'tool', NULL, 't4', 'Bash', NULL, '{"command": "cargo test cart4"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 6, 1, 'tool', NULL, 't6', 'Bash', NULL, '{"command": "cargo test cart6"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 8, 1, 'tool', NULL, 't8', 'Bash', NULL, '{"command": "cargo test cart8"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 10, 1, 'tool', NULL, 't10', 'Bash', NULL, '{"command": "cargo test cart10"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 12, 1, 'tool', NULL, 't12', 'Bash', NULL, '{"command": "cargo test cart12"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 14, 1, 'tool', NULL, 't14', 'Bash', NULL, '{"command": "cargo test cart14"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 16, 1, 'tool', NULL, 't16', 'Bash', NULL, '{"command": "cargo test cart16"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 18, 1, 'tool', NULL, 't18', 'Bash', NULL, '{"command": "cargo test cart18"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 20, 1, 'tool', NULL, 't20', 'Bash', NULL, '{"command": "cargo test cart20"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 22, 1, 'tool', NULL, 't22', 'Bash', NULL, '{"command": "cargo test cart22"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('alpha', 24, 1, 'tool', NULL, 't24', 'Bash', NULL, '{"command": "cargo test cart24"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 39, 0, 'text', 'Answer 2: cart2 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 41, 0, 'text', 'Answer 4: cart4 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 43, 0, 'text', 'Answer 6: cart6 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 45, 0, 'text', 'Answer 8: cart8 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 47, 0, 'text', 'Answer 10: cart10 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 49, 0, 'text', 'Answer 12: cart12 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 51, 0, 'text', 'Answer 14: cart14 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 53, 0, 'text', 'Answer 16: cart16 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 55, 0, 'text', 'Answer 18: cart18 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 57, 0, 'text', 'Answer 20: cart20 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 59, 0, 'text', 'Answer 22: cart22 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 61, 0, 'text', 'Answer 24: cart24 keeps cents; retries back off.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 39, 1, 'tool', NULL, 't2', 'Bash', NULL, '{"command": "cargo test cart2"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 41, 1, 'tool', NULL, 't4', 'Bash', NULL, '{"command": "cargo test cart4"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 43, 1, 'tool', NULL, 't6', 'Bash', NULL, '{"command": "cargo test cart6"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 45, 1, 'tool', NULL, 't8', 'Bash', NULL, '{"command": "cargo test cart8"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 47, 1, 'tool', NULL, 't10', 'Bash', NULL, '{"command": "cargo test cart10"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 49, 1, 'tool', NULL, 't12', 'Bash', NULL, '{"command": "cargo test cart12"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 51, 1, 'tool', NULL, 't14', 'Bash', NULL, '{"command": "cargo test cart14"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 53, 1, 'tool', NULL, 't16', 'Bash', NULL, '{"command": "cargo test cart16"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 55, 1, 'tool', NULL, 't18', 'Bash', NULL, '{"command": "cargo test cart18"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 57, 1, 'tool', NULL, 't20', 'Bash', NULL, '{"command": "cargo test cart20"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 59, 1, 'tool', NULL, 't22', 'Bash', NULL, '{"command": "cargo test cart22"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('beta', 61, 1, 'tool', NULL, 't24', 'Bash', NULL, '{"command": "cargo test cart24"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO epitome.message_terms VALUES
	(1, '{-1085641328544919797,-1616502042653410645,4903653912766329531,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,-79467496970370590,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(2, '{-1085641328544919797,-2868629689282411132,33387314945971788,-7319170647746448746,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(3, '{-1085641328544919797,-1616502042653410645,421439375529305463,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,-6699942796696482836,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(4, '{-1085641328544919797,-2868629689282411132,7253681516952369140,-6287224911241385607,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(5, '{-1085641328544919797,-1616502042653410645,-3336009530324717788,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,5712942461490490622,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(6, '{-1085641328544919797,-2868629689282411132,-3978739860852981500,-3894749507242630808,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(7, '{-1085641328544919797,-1616502042653410645,-1694084590255190364,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,1221741855198605992,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(8, '{-1085641328544919797,-2868629689282411132,-8172720447869476552,4256289320522092481,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(9, '{-1085641328544919797,-1616502042653410645,5260417646215103910,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,-2156443511923404374,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(10, '{-1085641328544919797,-2868629689282411132,-1479008177234357210,7172203349605484833,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(11, '{-1085641328544919797,-1616502042653410645,-8091014231702570788,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,312276148146325959,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(12, '{-1085641328544919797,-2868629689282411132,-7294327562687294061,8793680247884015241,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(13, '{-1085641328544919797,-1616502042653410645,-3159022597067528170,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,-5676996746075481019,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(14, '{-1085641328544919797,-2868629689282411132,7834366110812600214,8147252414422663320,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(15, '{-1085641328544919797,-1616502042653410645,-14552513626116449,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,1794396047963460681,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(16, '{-1085641328544919797,-2868629689282411132,5799370080045284382,8794934851844861520,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(17, '{-1085641328544919797,-1616502042653410645,-3414494641607742533,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,-6542784231459330988,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(18, '{-1085641328544919797,-2868629689282411132,-8610886812961013755,6061510799344283478,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(19, '{-1085641328544919797,-1616502042653410645,6330948852245920028,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,608109062447274959,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(20, '{-1085641328544919797,-2868629689282411132,5486595758217259189,-771222335166454160,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(21, '{-1085641328544919797,-1616502042653410645,-2044335395257019365,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,5530380418056371570,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(22, '{-1085641328544919797,-2868629689282411132,-6480700116257029547,-85505414787997508,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(23, '{-1085641328544919797,-1616502042653410645,3053936616399431910,-703728144870677907,5074292870498612399,9096886478916140978,-4537100183730198545,-3319446833372999423,-629757694311001897,1733474388947719823,3978973663035668668,-3219066248922973373,-5697327994237939250,926633838302539245,5081504277500179464}'),
	(24, '{-1085641328544919797,-2868629689282411132,8581478482345765564,-3973080503365874522,-4456875986458450139,-629757694311001897,-5703899529068532815,-7086629554948446489,-4905044672115004863,2452424871425339175,-7447457388362242614,6847513038180822193,4239066896521886952}'),
	(25, '{-6749002130032089236,3511027371836509537,1281142700432584955,7000024302364320420,-8896835372237406800,7256356846599912687,4903653912766329531}'),
	(26, '{-6749002130032089236,235260877181187720,1281142700432584955,7000024302364320420,-8896835372237406800,7256356846599912687,33387314945971788}'),
	(27, '{-6749002130032089236,6693627052652325318,1281142700432584955,7000024302364320420,-8896835372237406800,-2545374142048757266,-6227935576318777579}'),
	(28, '{-6749002130032089236,-7364871297297497098,1281142700432584955,7000024302364320420,-8896835372237406800,7256356846599912687,7253681516952369140}'),
	(29, '{-6749002130032089236,-4828555029662172269,1281142700432584955,7000024302364320420,-8896835372237406800,7256356846599912687,-3336009530324717788}'),
	(30, '{-6749002130032089236,260038431872207585,1281142700432584955,7000024302364320420,-8896835372237406800,7256356846599912687,-3978739860852981500}'),
	(31, '{-6749002130032089236,-4462631779106076450,1281142700432584955,7000024302364320420,-8896835372237406800,7256356846599912687,-1694084590255190364}'),
	(32, '{-6749002130032089236,-4621948459570598865,1281142700432584955,7000024302364320420,-8896835372237406800,7256356846599912687,-8172720447869476552}'),
	(33, '{-6749002130032089236,6077378629227369373,1281142700432584955,7000024302364320420,-8896835372237406800,7256356846599912687,5260417646215103910}'),
	(34, '{-6749002130032089236,-8469231053674204244,1281142700432584955,7000024302364320420,-8896835372237406800,7256356846599912687,-1479008177234357210}'),
	(35, '{-6749002130032089236,-4336310766735764404,1281142700432584955,7000024302364320420,-8896835372237406800,7256356846599912687,-8091014231702570788}'),
	(36, '{-6749002130032089236,2023821130212645129,1281142700432584955,7000024302364320420,-8896835372237406800,7256356846599912687,-7294327562687294061}'),
	(37, '{396396074924355981,7955541275763914652,7000024302364320420,7343727369681370722,-5142451730000514795,-3864710470924719550,-5310771393341494145,-2431617056886547659,-5487401834721764928,-4965456582747409512,-6675391041767021982,-8847944461718463114,-6479136671459051101,7232940901006900199,3179159055552926736,236846238009249327,1283152665290319039,-4849392449435497499}'),
	(38, '{-5899750819943135588,1822928857493600221,-3827214591634926395,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,-3918324778127160600,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(39, '{-5899750819943135588,1061423213686656158,7037655911304938581,5619079864199084491,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(40, '{-5899750819943135588,1822928857493600221,1725756513262118978,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,4751866120959338747,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(41, '{-5899750819943135588,1061423213686656158,8153467531685609647,8859257330392528663,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(42, '{-5899750819943135588,1822928857493600221,-4074568247600834816,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,1272395092269338210,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(43, '{-5899750819943135588,1061423213686656158,-6266426044055804586,-6376564667774571360,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(44, '{-5899750819943135588,1822928857493600221,-923232362537831304,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,-4781983394343578371,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(45, '{-5899750819943135588,1061423213686656158,-569328042220990044,-8725311613671349813,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(46, '{-5899750819943135588,1822928857493600221,-7096972277995944554,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,-7789223121701859050,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(47, '{-5899750819943135588,1061423213686656158,220560480340370597,-797578171438609405,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(48, '{-5899750819943135588,1822928857493600221,2623813293784880405,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,-1653612882683667316,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(49, '{-5899750819943135588,1061423213686656158,-6505352240761460542,-1789571306404590954,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(50, '{-5899750819943135588,1822928857493600221,6122017345834823496,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,2973485384982331863,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(51, '{-5899750819943135588,1061423213686656158,7525002756726740858,-126245682557118947,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(52, '{-5899750819943135588,1822928857493600221,2715161562907001594,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,-1568711076136258448,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(53, '{-5899750819943135588,1061423213686656158,6637103320094582431,-7037920887792150850,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(54, '{-5899750819943135588,1822928857493600221,5178444402178524057,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,-5099358491492967063,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(55, '{-5899750819943135588,1061423213686656158,-7349476738481463839,-6210523659219909995,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(56, '{-5899750819943135588,1822928857493600221,1112800032190841099,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,-826819880127440514,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(57, '{-5899750819943135588,1061423213686656158,8581929674920530567,-8777173244270987889,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(58, '{-5899750819943135588,1822928857493600221,-1082605943480883356,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,2591738669927800772,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(59, '{-5899750819943135588,1061423213686656158,3736402544087917896,62723432506831698,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(60, '{-5899750819943135588,1822928857493600221,464638752792561151,-4855797605449849558,-8276594881289881818,3051296342189589350,2261716054766368334,448624777815662068,9070647587565672284,-1186193899266434963,3007279696131291943,2248575308802884038,-2202677376781144347,6473876200304760240,1976663108285248420}'),
	(61, '{-5899750819943135588,1061423213686656158,6328515610018878840,7471827433639598935,5161313073595596707,9070647587565672284,-7503066965165091918,-4782307062778268567,399879134299926533,-3685616712685852252,-4709846894242056228,-3246120671276040327,-2884035531696205104}'),
	(62, '{-6937107870502303836,8604198366828303776,-7274147982072892315,-6575941664179886902,-5063038852444038088,-8797311730419867049,-3827214591634926395}'),
	(63, '{-6937107870502303836,-8738194709940907603,-7274147982072892315,-6575941664179886902,-5063038852444038088,-8797311730419867049,7037655911304938581}'),
	(64, '{-6937107870502303836,1087473857245179918,-7274147982072892315,-6575941664179886902,-5063038852444038088,5513797104033154873,6094261051913778195}'),
	(65, '{-6937107870502303836,-100442672914831926,-7274147982072892315,-6575941664179886902,-5063038852444038088,-8797311730419867049,8153467531685609647}'),
	(66, '{-6937107870502303836,-4029692022438650458,-7274147982072892315,-6575941664179886902,-5063038852444038088,-8797311730419867049,-4074568247600834816}'),
	(67, '{-6937107870502303836,354488267123823218,-7274147982072892315,-6575941664179886902,-5063038852444038088,-8797311730419867049,-6266426044055804586}'),
	(68, '{-6937107870502303836,4870010628839464591,-7274147982072892315,-6575941664179886902,-5063038852444038088,-8797311730419867049,-923232362537831304}'),
	(69, '{-6937107870502303836,-8557118731406044617,-7274147982072892315,-6575941664179886902,-5063038852444038088,-8797311730419867049,-569328042220990044}'),
	(70, '{-6937107870502303836,-6831300206554694801,-7274147982072892315,-6575941664179886902,-5063038852444038088,-8797311730419867049,-7096972277995944554}'),
	(71, '{-6937107870502303836,5917708602693980407,-7274147982072892315,-6575941664179886902,-5063038852444038088,-8797311730419867049,220560480340370597}'),
	(72, '{-6937107870502303836,7846061404461181845,-7274147982072892315,-6575941664179886902,-5063038852444038088,-8797311730419867049,2623813293784880405}'),
	(73, '{-6937107870502303836,-1551350501538875203,-7274147982072892315,-6575941664179886902,-5063038852444038088,-8797311730419867049,-6505352240761460542}');
INSERT INTO epitome.migrations VALUES
	(1, '2026-11-18 03:25:09.920057+00'),
	(2, '2026-11-18 03:25:09.920057+00'),
	(3, '2026-11-18 03:25:09.920057+00'),
	(4, '2026-11-18 03:25:09.920057+00'),
	(5, '2026-11-18 03:25:09.920057+00'),
	(6, '2026-11-18 03:25:09.920057+00'),
	(7, '2026-11-18 03:25:09.920057+00'),
	(8, '2026-11-18 03:25:09.920057+00'),
	(9, '2026-11-18 03:25:09.920057+00'),
	(10, '2026-11-18 03:25:09.920057+00');
INSERT INTO epitome.scrub_keys VALUES
	('alpha', '\x7a6ddf80e5d0bb92848b014755ead32953badd8f988f2dd62fa356cea2600ac4'),
	('beta', '\x8b4c9f96c48b6737b0ed8bdf0577abfc1e0661413af4e92b9863abe7bf31c9b3');
SELECT pg_catalog.setval('epitome.artifacts_number_seq', 1, true);
SELECT pg_catalog.setval('epitome.conversations_number_seq', 5, true);
SELECT pg_catalog.setval('epitome.files_number_seq', 1, false);
SELECT pg_catalog.setval('epitome.frames_number_seq', 2, true);
SELECT pg_catalog.setval('epitome.generations_number_seq', 2, true);
SELECT pg_catalog.setval('epitome.job_numbers', 1, false);
SELECT pg_catalog.setval('epitome.ledger_numbers', 1, false);
SELECT pg_catalog.setval('epitome.message_numbers', 73, true);
SELECT pg_catalog.setval('epitome.redirects_number_seq', 1, false);
SELECT pg_catalog.setval('epitome.reservation_numbers', 1, false);
SELECT pg_catalog.setval('epitome.segments_number_seq', 1, false);
SELECT pg_catalog.setval('epitome.summary_numbers', 1, true);
SELECT pg_catalog.setval('epitome.symbol_summary_revisions', 1, false);
SELECT pg_catalog.setval('epitome.worktrees_number_seq', 1, false);
